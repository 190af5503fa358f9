import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { textArgument } from "./input/arguments.ts";
import { seconds, text } from "./input/options.ts";

export const trigger = defineCommand({
  name: "trigger",
  summary: "Put a picture through as if a camera had sent it, and say what became of it",
  description:
    "Copies a picture into the folder of a camera, as a camera uploads it, and follows it until homesec has looked at it. It works only on the machine of the daemon. The exit code is 1 when the picture is skipped or fails, or when nothing came of it in time.",
  arguments: { file: textArgument("The picture; it stays where it is") },
  options: {
    camera: text("id", "Id of the camera"),
    wait: seconds(1, 86_400, "How long to wait for the outcome; 60s when left out"),
  },
  examples: [
    { command: "homesec trigger visitor.jpg --camera front-door", note: "would somebody have been seen?" },
    { command: "homesec trigger visitor.jpg --camera front-door -o json", note: "the entry of the ledger, for a program" },
  ],
  prints: async () => (await import("./trigger/follow.ts")).imageView,
  async run({ arguments: { file }, options: { camera, wait = 60 } }, io) {
    const [{ Problem }, { putIn }, { follow, imageView }, { printRecord }] = await Promise.all([
      import("../src/contract/problem.ts"),
      import("./trigger/put-in.ts"),
      import("./trigger/follow.ts"),
      import("./output/output.ts"),
    ]);
    if (io.global.direct)
      throw new Problem("invalid", "trigger needs a daemon, which looks at the picture; start one with `homesec serve`");
    if (camera === undefined) throw new Problem("invalid", "say with --camera which camera shall have sent it");
    const { folder_path: folder, status } = await io.call("getCamera", { params: { camera_id: camera } });
    const path = await putIn(io.host, file, folder);
    io.output.note(`${path} is there now${status === "error" ? "; the camera is in error, `homesec cameras validate` says why" : ""}`);
    const image = await follow(io, camera, path, wait);
    if (image === undefined) {
      io.output.note(`nothing came of it within ${wait} s; \`homesec explain image ${path}\` says what is known`);
      return exitCodes.failure;
    }
    await printRecord(io.output, image, imageView);
    return image.status === "processed" ? exitCodes.ok : exitCodes.failure;
  },
});
