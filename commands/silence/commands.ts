import { silenceStatuses } from "../../src/contract/constants.ts";
import type { Command } from "../command.ts";
import { listCommand, recordCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { choice, idOf } from "../input/options.ts";
import { addSilence } from "./add.ts";
import { silenceView } from "./view.ts";

const exampleId = "0e3cb4f5-62b1-4c3a-9b0e-5f6f0d5a7c11";

export const commands: readonly Command[] = [
  listCommand({
    name: "silence list",
    summary: "List alert silences, newest first",
    options: { status: choice(silenceStatuses, "Only silences with this status") },
    examples: [
      { command: "homesec silence list --status active", note: "silences that mute alerts now" },
      { command: "homesec silence list -o json", note: "all silences as JSON" },
    ],
    view: silenceView,
    page: (io, { options }, page) => io.call("listSilences", { query: { ...options, ...page } }),
    rows: (body) => body.items,
  }),
  recordCommand({
    name: "silence show",
    summary: "Show one alert silence and its muted alerts",
    arguments: { silence_id: idOf("silence", textArgument("Silence id, or its start")) },
    examples: [{ command: `homesec silence show ${exampleId}`, note: "scope, end, reason and muted alerts" }],
    view: silenceView,
    record: (io, input) => io.call("getSilence", { params: { id: input.arguments.silence_id } }),
  }),
  addSilence,
  recordCommand({
    name: "silence end",
    summary: "End an alert silence now and send its summary",
    arguments: { silence_id: idOf("silence", textArgument("Silence id, or its start")) },
    examples: [{ command: `homesec silence end ${exampleId}`, note: "alerts are sent again from now on" }],
    view: silenceView,
    record: (io, input) => io.call("endSilence", { params: { id: input.arguments.silence_id } }),
    note: ({ id }) => `silence ${id} ended`,
  }),
];
