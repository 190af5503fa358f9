import type { Command } from "../../command.ts";
import { acknowledgeSceneChange } from "./ack.ts";
import { listSceneChanges } from "./list.ts";

export const sceneChangeCommands: readonly Command[] = [listSceneChanges, acknowledgeSceneChange];
