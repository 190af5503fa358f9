import type { Command } from "../command.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { texts } from "../input/arguments.ts";
import { text } from "../input/options.ts";

export const commands: readonly Command[] = [
  defineCommand({
    name: "detector test",
    summary: "Show what the detector finds in pictures",
    description: `Sends pictures of this machine to the detector of the daemon, prints each object with its class, confidence and box, and how long it
took. Stores nothing. Objects below DETECTION_CONFIDENCE_THRESHOLD are shown too. Exits with 1 if a picture cannot be processed.`,
    arguments: { file: texts("Picture files: JPEG, PNG or WebP") },
    options: { draw: text("file", "Write the picture with boxes to this JPEG; one picture only") },
    examples: [
      { command: "homesec detector test visitor.jpg", note: "what is in a picture" },
      { command: "homesec detector test visitor.jpg --draw boxes.jpg", note: "the boxes drawn into the picture" },
    ],
    prints: async () => (await import("./test-pictures.ts")).objectView,
    async run({ arguments: { file: files }, options: { draw } }, io) {
      const [{ Problem }, { testPictures, objectView }, { printRows }] = await Promise.all([
        import("../../src/contract/problem.ts"),
        import("./test-pictures.ts"),
        import("../output/output.ts"),
      ]);
      if (io.global.direct)
        throw new Problem("invalid", "detector test needs a daemon; remove --direct and start one with `homesec serve`");
      if (files.length === 0) throw new Problem("invalid", "detector test needs a picture; give one or more files");
      if (draw !== undefined && files.length !== 1) throw new Problem("invalid", "--draw takes one picture; give one file");
      const { objects, failed } = await testPictures(io, files, draw);
      await printRows(io.output, objects, objectView, { objects });
      return failed > 0 ? exitCodes.failure : exitCodes.ok;
    },
  }),
];
