import type { Command } from "../command.ts";
import { addCamera } from "./add.ts";
import { listCameras } from "./list.ts";
import { removeCamera } from "./remove.ts";
import { restoreCamera } from "./restore.ts";
import { showCamera } from "./show.ts";
import { updateCamera } from "./update.ts";

export const commands: readonly Command[] = [listCameras, showCamera, addCamera, updateCamera, removeCamera, restoreCamera];
