import { channels } from "../../src/contract/constants.ts";
import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { word } from "../input/arguments.ts";
import { list } from "../input/options.ts";
import { printRecord } from "../output/output.ts";
import type { View } from "../output/view.ts";

const view: View<Reply<Routes["testNotification"]>> = {
  plural: "tests",
  fields: ["channel", "success", "error", "message"],
  id: (test) => test.channel,
  columns: [],
  details: (test) => [
    ["channel", { text: test.channel, paint: "bold" }],
    ["result", test.success ? { text: "it went through", paint: "green" } : { text: "failed", paint: "red" }],
    ["message", { text: test.message }],
    ...(test.error === null ? [] : [["error", { text: test.error }] as const]),
  ],
};

export const testNotification = defineCommand({
  name: "notifications test",
  summary: "Send a test message, as an alert would be sent",
  description:
    "Sends a test message through a channel, as an alert would be sent. When it is taken, all that waits for the channel is sent at once too. The exit code is 1 when it does not get through.",
  arguments: { channel: word(channels, "The channel") },
  options: { emailRecipients: list("address", "For email: these instead of DEFAULT_EMAIL_RECIPIENTS; commas for several") },
  examples: [
    { command: "homesec notifications test email", note: "does mail arrive?" },
    { command: "homesec notifications test email --email-recipients me@example.org", note: "to one person only" },
    { command: "homesec notifications test webhook", note: "does DEFAULT_WEBHOOK_URL answer?" },
  ],
  prints: () => view,
  async run({ arguments: { channel }, options: { emailRecipients } }, io) {
    const result = await io.call("testNotification", { body: { channel, email_recipients: emailRecipients } });
    await printRecord(io.output, result, view);
    return result.success ? exitCodes.ok : exitCodes.failure;
  },
});
