import type { Command } from "../command.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { textArgument, texts } from "../input/arguments.ts";
import { idOf, integer, list, number, text, withDefault } from "../input/options.ts";

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
  defineCommand({
    name: "detector compare",
    summary: "Show what two detectors find in the newest pictures",
    description: `Sends the newest stored pictures of this machine to two detectors and lists those in which they differ, and the totals by class. Stores
nothing. Objects count as the same if class and place agree. Exits with 1 if a detector did not process a picture.`,
    arguments: {
      a: textArgument("The first detector: its address, or `current` for the daemon's"),
      b: textArgument("The second detector: its address, or `current`"),
    },
    options: {
      last: withDefault(integer("number", 1, 10_000, "Number of pictures, newest first (default 200)"), 200),
      cameras: idOf("camera", list("ids", "Only pictures of these cameras, separated by commas")),
      confidence: number("share", 0, 1, "Objects below it do not count (default: DETECTION_CONFIDENCE_THRESHOLD)"),
    },
    examples: [
      {
        command: "homesec detector compare current deepstack+http://192.168.1.5:32168 --last 50",
        note: "what another detector would find",
      },
    ],
    prints: async () => (await import("./compare.ts")).differenceView,
    async run({ arguments: { a, b }, options: { last, cameras, confidence } }, io) {
      const [{ Problem }, { compareDetectors, differenceView, noteTotals }, { printRows }] = await Promise.all([
        import("../../src/contract/problem.ts"),
        import("./compare.ts"),
        import("../output/output.ts"),
      ]);
      if (io.global.direct)
        throw new Problem("invalid", "detector compare needs a daemon; remove --direct and start one with `homesec serve`");
      const least = confidence ?? (await io.configuration()).config.detectionConfidenceThreshold;
      const comparison = await compareDetectors(io, { a, b, last, confidence: least, ...(cameras && { cameraIds: cameras }) });
      await printRows(io.output, comparison.differences, differenceView, comparison);
      noteTotals(comparison, (line) => io.output.note(line));
      return comparison.a.not_processed + comparison.b.not_processed > 0 ? exitCodes.failure : exitCodes.ok;
    },
  }),
];
