import { type Command, defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument } from "../input/arguments.ts";
import { printRecord } from "../output/output.ts";

const anId = "5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a11";

export const acknowledgeAlert = settling("ack", "acknowledgeAlert", "acknowledged", {
  summary: "Acknowledge an alert: somebody takes care of it",
  note: "somebody takes care of it",
});

export const dismissAlert = settling("dismiss", "dismissAlert", "dismissed", {
  summary: "Dismiss an alert: nothing has to be done",
  note: "it was nothing",
});

/** A command that ends an alert. What still waits to be sent of it is cancelled; a second one is a conflict. */
function settling(
  verb: string,
  operation: "acknowledgeAlert" | "dismissAlert",
  done: string,
  text: { readonly summary: string; readonly note: string },
): Command {
  return defineCommand({
    name: `alerts ${verb}`,
    summary: text.summary,
    description: `${text.summary}. What still waits to be sent of it is cancelled. An alert that is over already is a conflict (5).`,
    arguments: { alertId: textArgument("Id of the alert") },
    examples: [{ command: `homesec alerts ${verb} ${anId}`, note: text.note }],
    prints: async () => (await import("./view.ts")).alertView,
    async run({ arguments: { alertId } }, io) {
      const { alertView } = await import("./view.ts");
      const alert = await io.call(operation, { params: { id: alertId } });
      io.output.note(`alert ${alertId} ${done}`);
      await printRecord(io.output, alert, alertView);
      return exitCodes.ok;
    },
  });
}
