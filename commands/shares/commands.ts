import { pluralize } from "../../src/base/text/format.ts";
import { shareStatuses } from "../../src/contract/constants.ts";
import type { Command } from "../command.ts";
import { actionCommand, listCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { choice, idOf, integer } from "../input/options.ts";
import { shareView } from "./view.ts";

export const commands: readonly Command[] = [
  listCommand({
    name: "shares list",
    summary: "List shared events, newest share first",
    options: {
      status: choice(shareStatuses, "Only shares with this status"),
      event_id: { ...idOf("event", integer("id", 1, Number.MAX_SAFE_INTEGER, "Only shares of this event")), flag: "event" },
    },
    examples: [
      { command: "homesec shares list --status active", note: "what others can see now, and how often they did" },
      { command: "homesec shares list --event 42", note: "who can see this event" },
    ],
    view: shareView,
    page: (io, { options }, page) => io.call("listShares", { query: { ...options, ...page } }),
    rows: (body) => body.items,
    after: async (io, { options: { event_id } }) => {
      const { pagination } = await io.call("listEvidencePacks", { query: { event_id, limit: 1 } });
      if (pagination.total > 0) io.output.note(`${pluralize(pagination.total, "evidence pack")} handed on, too: homesec evidence list`);
    },
  }),
  actionCommand({
    name: "shares revoke",
    summary: "Revoke a shared address at once",
    description: "The address stops working at once, and says so to whoever opens it.",
    arguments: { share_id: idOf("share", textArgument("Share id, or its start")) },
    examples: [{ command: "homesec shares revoke 7d1f5a0c", note: "homesec shares list shows ids" }],
    async act(io, { arguments: { share_id } }) {
      await io.call("revokeShare", { params: { id: share_id } });
      return `share ${share_id} revoked`;
    },
  }),
];
