import { mkdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Problem } from "../src/contract/problem.ts";
import { writingReason } from "../src/platform/disk/file-reason.ts";
import { type Command, defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { text, withDefault } from "./input/options.ts";

/** The command that writes the reference pages, with every command from `allCommands`. */
export const docsCommand = (allCommands: () => Promise<readonly Command[]>): Command =>
  defineCommand({
    name: "docs",
    summary: "Write the reference pages",
    options: { folder: withDefault(text("folder", "Target folder"), "docs") },
    examples: [{ command: "homesec docs --folder docs", note: "configuration.md, cli.md, doctor.md, openapi.json and mqtt.schema.json" }],
    hidden: true,
    async run({ options: { folder } }, io) {
      const [{ configurationReference }, { commandReference }, contract, doctor] = await Promise.all([
        import("../src/platform/config/reference.ts"),
        import("./reference.ts"),
        Promise.all([import("../src/contract/openapi.ts"), import("../src/contract/routes/index.ts"), import("../src/contract/mqtt.ts")]),
        Promise.all([import("../src/admin/doctor/reference.ts"), import("../src/admin/doctor/checks.ts")]),
      ]);
      const [{ openapi }, { routes }, { mqttSchema }] = contract;
      const [{ doctorReference }, { checks }] = doctor;
      const pages = {
        "configuration.md": configurationReference(),
        "cli.md": commandReference(await allCommands()),
        "doctor.md": doctorReference(checks),
        "mqtt.schema.json": `${JSON.stringify(mqttSchema(), null, 2)}\n`,
        "openapi.json": `${JSON.stringify(openapi(routes, io.host.version), null, 2)}
`,
      };
      const target = resolve(io.host.cwd, folder);
      try {
        await mkdir(target, { recursive: true });
        for (const [name, text] of Object.entries(pages)) await writeFile(resolve(target, name), text);
      } catch (cause) {
        throw new Problem("invalid", `cannot write to ${target}: ${writingReason(cause)}`, { cause });
      }
      io.output.note(`${Object.keys(pages).join(", ")} written to ${target}`);
      return exitCodes.ok;
    },
  });
