import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { textArgument } from "./input/arguments.ts";
import { idOf, seconds, text } from "./input/options.ts";

export const trigger = defineCommand({
  name: "trigger",
  summary: "Process one picture as if a camera had uploaded it",
  description:
    "Copies a picture into the folder of a camera and waits until homesec has processed it. Works only on the machine of the daemon. Exits with 1 if the picture is skipped, fails or is not processed in time.",
  arguments: { file: textArgument("Picture file; it is copied") },
  options: {
    camera: idOf("camera", text("camera", "Camera, by id or name")),
    wait: seconds(1, 86_400, "Time to wait for the result (default 60s)"),
  },
  examples: [
    { command: "homesec trigger visitor.jpg --camera front-door", note: "test the detection of a visitor" },
    { command: "homesec trigger visitor.jpg --camera front-door -o json", note: "the image record as JSON" },
  ],
  prints: async () => (await import("./trigger/follow.ts")).imageView,
  async run({ arguments: { file }, options: { camera, wait = 60 } }, io) {
    const [{ Problem }, { copyToCamera }, { follow, imageView }, { printRecord }] = await Promise.all([
      import("../src/contract/problem.ts"),
      import("./trigger/copy-to-camera.ts"),
      import("./trigger/follow.ts"),
      import("./output/output.ts"),
    ]);
    if (io.global.direct) throw new Problem("invalid", "trigger needs a daemon; remove --direct and start one with `homesec serve`");
    if (camera === undefined) throw new Problem("invalid", "trigger needs a camera; give --camera");
    const { folder_path: folder, file_pattern: pattern, status } = await io.call("getCamera", { params: { camera_id: camera } });
    if (pattern !== null)
      throw new Problem("invalid", `camera ${camera} takes only ${pattern} of its folder; copy the picture to ${folder} under such a name`);
    const path = await copyToCamera(io.host, file, folder);
    io.output.note(`copied to ${path}${status === "error" ? "; the camera is in error, `homesec cameras validate` says why" : ""}`);
    const image = await follow(io, camera, path, wait);
    if (image === undefined) {
      io.output.note(`not processed within ${wait} s; \`homesec explain image ${path}\` shows its state`);
      return exitCodes.failure;
    }
    await printRecord(io.output, image, imageView);
    return image.status === "processed" ? exitCodes.ok : exitCodes.failure;
  },
});
