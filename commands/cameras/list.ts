import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choice, flag, rowLimit } from "../input/options.ts";
import { printList } from "../output/output.ts";
import { pages } from "../output/pages.ts";
import { noteTrouble } from "./trouble.ts";
import type { Camera } from "./view.ts";

export const listCameras = defineCommand({
  name: "cameras list",
  summary: "List the cameras",
  options: {
    status: choice(["unknown", "online", "offline", "error"], "Only cameras in this state"),
    deleted: flag("The deleted cameras instead, which can be restored"),
    limit: rowLimit(50),
  },
  examples: [
    { command: "homesec cameras list", note: "which cameras there are, and when each sent its last picture" },
    { command: "homesec cameras list --status offline -o id", note: "the ids of silent cameras, one a line" },
    { command: "homesec cameras list --deleted", note: "what `homesec cameras restore` can bring back" },
  ],
  prints: async () => (await import("./view.ts")).cameraView,
  async run({ options: { status, deleted, limit } }, io) {
    const { cameraView } = await import("./view.ts");
    if (deleted) {
      if (status !== undefined) throw new Problem("invalid", "--deleted lists all deleted cameras; it takes no --status");
      const bodies = pages(limit, (page) => io.call("listDeletedCameras", { query: page }));
      await printList(io.output, bodies, (body) => body.items, { ...cameraView, plural: "deleted cameras" });
    } else {
      const bodies = pages(limit, (page) => io.call("listCameras", { query: { status, ...page } }));
      const shown: Camera[] = [];
      const rowsOf = ({ cameras }: { readonly cameras: readonly Camera[] }) => {
        shown.push(...cameras);
        return cameras;
      };
      await printList(io.output, bodies, rowsOf, cameraView);
      noteTrouble(io, shown);
    }
    return exitCodes.ok;
  },
});
