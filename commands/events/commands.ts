import type { Command } from "../command.ts";
import { deleteEvent } from "./delete.ts";
import { exportEvents } from "./export.ts";
import { listEvents } from "./list.ts";
import { noteEvent } from "./note.ts";
import { reanalyzeEvent } from "./reanalyze.ts";
import { restoreEvent } from "./restore.ts";
import { reviewEvent } from "./review.ts";
import { searchEvents } from "./search.ts";
import { showEvent } from "./show.ts";
import { statsOfEvents } from "./stats.ts";
import { tailEvents } from "./tail.ts";
import { timelineOfEvents } from "./timeline.ts";

export const commands: readonly Command[] = [
  listEvents,
  searchEvents,
  showEvent,
  tailEvents,
  timelineOfEvents,
  statsOfEvents,
  reviewEvent,
  noteEvent,
  reanalyzeEvent,
  deleteEvent,
  restoreEvent,
  exportEvents,
];
