import type { Command } from "../command.ts";
import { addCamera } from "./add.ts";
import { baselineCommands } from "./baseline/commands.ts";
import { listCameras } from "./list.ts";
import { removeCamera } from "./remove.ts";
import { restoreCamera } from "./restore.ts";
import { sceneChangeCommands } from "./scene-changes/commands.ts";
import { showCamera } from "./show.ts";
import { saveSnapshot } from "./snapshot.ts";
import { updateCamera } from "./update.ts";
import { validateCameras } from "./validate.ts";

export const commands: readonly Command[] = [
  listCameras,
  showCamera,
  addCamera,
  updateCamera,
  removeCamera,
  restoreCamera,
  validateCameras,
  saveSnapshot,
  ...baselineCommands,
  ...sceneChangeCommands,
];
