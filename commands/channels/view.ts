import { channelForms } from "../../src/contract/channel-fields.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Cell } from "../output/table.ts";
import { ago, exactly } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";

export type Channel = ReplyOf<"getChannel">;

const state = ({ enabled }: Channel): Cell => (enabled ? { text: "on", paint: "green" } : { text: "off", paint: "yellow" });

function last({ last_attempt_at, last_error }: Channel): Cell {
  if (last_attempt_at === null) return { text: "none yet", paint: "dim" };
  return last_error === null ? { text: "accepted", paint: "green" } : { text: "failed", paint: "red" };
}

export const channelView: View<Channel> = {
  plural: "channels",
  fields: fieldsOf("getChannel"),
  id: ({ id }) => id,
  columns: [
    { title: "ID", keep: true, isId: true, cell: ({ id }) => ({ text: id }) },
    { title: "NAME", keep: true, cell: ({ name }) => ({ text: name }) },
    { title: "KIND", cell: ({ kind }) => ({ text: channelForms[kind].title }) },
    { title: "STATE", keep: true, cell: state },
    { title: "LAST", keep: true, cell: last },
    { title: "WHEN", cell: ({ last_attempt_at }, terminal) => ({ text: ago(terminal, last_attempt_at) }) },
  ],
  details: (channel, terminal) => [
    ["channel", { text: channel.id, paint: "bold" }],
    ["name", { text: channel.name }],
    ["kind", { text: channelForms[channel.kind].title }],
    ["state", state(channel)],
    ...Object.entries(channel.settings).map(([name, value]) => [name.replaceAll("_", " "), { text: String(value) }] as const),
    ...channel.secrets.map((name) => [name, { text: "set, not shown" }] as const),
    ["last", last(channel)],
    ["last attempt", { text: exactly(terminal, channel.last_attempt_at) }],
    ...(channel.last_error === null ? [] : [["error", { text: channel.last_error, paint: "red" }] as const]),
  ],
};

export const channelTestView: View<ReplyOf<"testChannel">> = {
  plural: "tests",
  fields: fieldsOf("testChannel"),
  id: ({ message }) => message,
  columns: [],
  details: (test) => [
    ["result", test.success ? { text: "accepted", paint: "green" } : { text: "failed", paint: "red" }],
    ["message", { text: test.message }],
  ],
};
