import { notFound, Problem } from "../../contract/problem.ts";
import type { Sql } from "../../platform/database/database.ts";
import { detectionsOfEvent } from "../detections/detections-repository.ts";
import type { EventWithDetections } from "./event.ts";
import { findEvents } from "./events-repository.ts";

/** Returns an event with its detections. Throws `Problem("not_found")` if there is none with this id, or it is deleted. */
export async function findWithDetections(sql: Sql, id: number): Promise<EventWithDetections> {
  const [event] = await findEvents(sql, [id]);
  if (!event) throw notFound("Event", id);
  if (event.deleted_at) throw new Problem("not_found", `Event ${id} is deleted`);
  return { ...event, detections: [...(await detectionsOfEvent(sql, id))] };
}
