import { z } from "zod";
import { longestEntryDelay, longestExitDelay, modeSources } from "../constants.ts";
import { listOf, pageQuery } from "../page.ts";
import { routesOf } from "../route.ts";
import { Instant } from "../values.ts";
import { ModeName, Schedule, ScheduleInput } from "./rules.ts";

const route = routesOf("modes");

const NameOfMode = z.string().meta({ description: "Name of the mode", example: "away" });
const SetBy = z
  .string()
  .nullable()
  .meta({ description: "Key or session that chose it; null without one, and for a schedule", example: "anna" });
const Source = z.enum(modeSources).nullable();

/** The mode of the home now, as clients receive it. */
export const ModeState = z
  .object({
    mode: NameOfMode,
    since: Instant.nullable().meta({
      description: "When it took effect; null since the installation",
      example: "2026-02-01T08:01:00.000Z",
    }),
    set_by: SetBy,
    source: Source.meta({ description: "Whether a request or a schedule chose it; null since the installation", example: "request" }),
    pending: z
      .object({
        mode: NameOfMode,
        effective_at: Instant.meta({ description: "When it takes effect", example: "2026-02-01T08:01:00.000Z" }),
        requested_at: Instant.meta({ description: "When it was requested", example: "2026-02-01T08:00:00.000Z" }),
        set_by: SetBy,
      })
      .nullable()
      .meta({ description: "The mode that takes effect after the exit delay; null if none is pending", example: null }),
  })
  .meta({ id: "ModeState", description: "The mode of the home now" });

/** A mode that the home can be in, as clients receive it. */
export const Mode = z
  .object({
    name: NameOfMode,
    built_in: z.boolean().meta({ description: "True for home, away, night and off, which cannot be deleted", example: true }),
    exit_delay_seconds: z.int().meta({ description: "Time between the request and its effect, to leave the home", example: 60 }),
    entry_delay_seconds: z.int().meta({
      description: "Time that alerts of rules with modes wait before anyone is notified; switching the mode meanwhile cancels them",
      example: 30,
    }),
    schedule: Schedule.nullable().meta({ description: "When the home switches from `home` to this mode, and back; null for never" }),
  })
  .meta({ id: "Mode", description: "A mode that the home can be in" });

/** A switch of the mode in the past. */
export const ModeSwitch = z
  .object({
    id: z.int().meta({ description: "Id of the switch", example: 12 }),
    mode: NameOfMode,
    previous_mode: z.string().meta({ description: "The mode before", example: "home" }),
    requested_at: Instant.meta({ description: "When it was requested", example: "2026-02-01T08:00:00.000Z" }),
    switched_at: Instant.meta({ description: "When it took effect", example: "2026-02-01T08:01:00.000Z" }),
    set_by: SetBy,
    source: Source.meta({ description: "Whether a request or a schedule caused it", example: "request" }),
  })
  .meta({ id: "ModeSwitch", description: "A switch of the mode" });

const fields = {
  exit_delay_seconds: z
    .int()
    .min(0)
    .max(longestExitDelay)
    .optional()
    .meta({ description: "Time between the request and its effect, in seconds (default 0; away 60)" }),
  entry_delay_seconds: z
    .int()
    .min(0)
    .max(longestEntryDelay)
    .optional()
    .meta({ description: "Time that alerts wait for a switch of the mode, in seconds (default 0; away 30)" }),
  schedule: ScheduleInput.nullable()
    .optional()
    .meta({ description: "When the home switches from `home` to this mode, and back; null for never" }),
};

const params = z.object({ name: z.string().meta({ description: "Name of the mode" }) });
const noSuchMode = "No mode has this name";

export const modeRoutes = {
  getMode: route.get("/api/mode", "Get the mode of the home", { reply: ModeState }),
  setMode: route.put("/api/mode", "Switch the mode of the home; it takes effect after the exit delay of the mode", {
    body: z.strictObject({
      mode: ModeName.meta({ description: "Name of the mode; the current one cancels a pending switch" }),
      skip_exit_delay: z.boolean().default(false).meta({ description: "True to switch at once (default false)" }),
    }),
    reply: ModeState,
    refusals: { 404: noSuchMode },
    example: { body: { mode: "away" } },
  }),
  listModeSwitches: route.get("/api/mode/history", "List switches of the mode, newest first; kept as long as events", {
    query: z.object(pageQuery),
    reply: listOf(ModeSwitch),
  }),
  listModes: route.get("/api/modes", "List the modes", {
    reply: z.object({ modes: z.array(Mode).meta({ description: "The built-in modes, then the others by name" }) }),
  }),
  createMode: route.post("/api/modes", "Create a mode", {
    body: z.strictObject({ name: ModeName.meta({ description: "Name of the mode" }), ...fields }),
    status: 201,
    reply: Mode,
    refusals: { 409: "A mode has this name already" },
    example: { body: { name: "holiday", exit_delay_seconds: 60 }, reply: { name: "holiday", built_in: false } },
  }),
  updateMode: route.put("/api/modes/{name}", "Change the delays and the schedule of a mode; omitted fields keep their values", {
    params,
    body: z.strictObject(fields),
    reply: Mode,
    refusals: { 404: noSuchMode },
    example: { body: { entry_delay_seconds: 45 }, reply: { entry_delay_seconds: 45 } },
  }),
  deleteMode: route.delete("/api/modes/{name}", "Delete a mode", {
    params,
    status: 204,
    refusals: { 404: noSuchMode, 409: "It is built in, the home is in it, or a rule names it" },
  }),
};
