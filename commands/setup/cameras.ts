import { Problem } from "../../src/contract/problem.ts";
import { noteUnread } from "../cameras/notes.ts";
import { plain } from "../output/terminal-format.ts";
import type { Setup } from "./questions.ts";

/** The largest number of lines of a list, so that the question stays on a screen of 24 lines. */
export const mostShown = 8;

/** Shows the cameras and asks for more. Resolves to the id of one of them, if there are any. */
export async function askForCameras(setup: Setup): Promise<string | undefined> {
  const { io, say, yes } = setup;
  say("\n1 of 4: camera");
  const { cameras } = await io.call("listCameras", { query: { limit: 1000 } });
  let example = cameras[0]?.camera_id;
  for (const { camera_id, folder_path, status } of cameras.slice(0, mostShown)) {
    say(`  ${plain(camera_id)}  ${status}  ${plain(folder_path)}`);
  }
  if (cameras.length > mostShown) say(`  and ${cameras.length - mostShown} more (\`homesec cameras list\`)`);
  let isFirst = cameras.length === 0;
  while (await yes(isFirst ? "Add a camera?" : "Add another camera?", isFirst)) {
    const added = await addCamera(setup);
    example = added ?? example;
    isFirst = false;
  }
  return example;
}

/** Asks until the daemon accepts the camera. Resolves to its id, or to undefined if the user gives no name. */
async function addCamera(setup: Setup): Promise<string | undefined> {
  const { io, say, saved, text } = setup;
  for (;;) {
    const name = await text("Name, such as Front door (Enter for none)?");
    if (name === "") return undefined;
    const folder = await text("Upload folder (Enter: a folder with its name below the cameras' folder)?");
    try {
      const camera = await io.call("createCamera", { body: { name, ...(folder === "" ? {} : { folder_path: folder }) } });
      saved.push(`camera ${camera.camera_id}`);
      say(
        `Added. Let the camera save its pictures in ${plain(camera.folder_path)}, or deliver them: homesec cameras connect ${camera.camera_id}`,
      );
      await noteUnread(io, camera, folder === "" ? undefined : folder);
      return camera.camera_id;
    } catch (error) {
      if (!(error instanceof Problem) || !["conflict", "invalid"].includes(error.kind)) throw error;
      say(`Not added: ${error.message}`);
    }
  }
}
