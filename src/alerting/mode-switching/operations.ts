import { z } from "zod";
import { notFound, Problem } from "../../contract/problem.ts";
import type { modeRoutes } from "../../contract/routes/modes.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import type { Operations } from "../../work/operations/operation.ts";
import type { Mode } from "../modes/mode.ts";
import { allModes, removeMode, rulesNaming, storeMode } from "../modes/modes-repository.ts";
import { lockState, readState } from "../modes/state-repository.ts";
import { countSwitches, listSwitches } from "../modes/switches-repository.ts";
import { chooseMode, settlePending } from "./switch.ts";

/** Maximum number of modes: a person chooses from the list. */
const mostModes = 50;

/** The use cases of the modes of the home. The daemon lets pending modes take effect and follows the schedules. */
export const modeOperations: Pick<Operations, keyof typeof modeRoutes> = {
  getMode: async (_, { db, clock, caller }) => {
    const now = clock.now();
    const { state: stored } = await db.query(readState);
    // The exit delay is over, but no daemon has stored that yet, or none runs
    const isOver = stored.pending !== null && stored.pending.effective_at <= now;
    const state = isOver ? await db.transaction((sql) => settlePending(sql, now)) : stored;
    if (caller?.access?.role !== "guest") return state;
    // Who switched it is not for guests
    return { ...state, set_by: null, pending: state.pending && { ...state.pending, set_by: null } };
  },

  setMode: async ({ body }, { db, clock, caller }) =>
    await db.transaction((sql) =>
      chooseMode(
        sql,
        { mode: body.mode, by: caller?.access?.name ?? null, source: "request", skipExitDelay: body.skip_exit_delay },
        clock.now(),
      ),
    ),

  listModeSwitches: async ({ query }, { db }) =>
    await readPage(db, query, {
      name: "mode/history",
      key: timeKey(z.int()),
      rows: (sql, slice) => listSwitches(sql, slice),
      count: (sql) => countSwitches(sql),
    }),

  listModes: async (_, { db }) => ({ modes: [...(await db.query(allModes))] }),

  createMode: async ({ body }, { db, clock }) =>
    await db.transaction(async (sql) => {
      await lockState(sql);
      const modes = await allModes(sql);
      if (modes.some(({ name }) => name === body.name)) throw new Problem("conflict", `There is a mode ${body.name} already`);
      if (modes.length >= mostModes) throw new Problem("conflict", `There are ${mostModes} modes already; delete one first`);
      return await store(
        sql,
        { name: body.name, built_in: false, exit_delay_seconds: 0, entry_delay_seconds: 0, schedule: null },
        body,
        clock.now(),
      );
    }),

  updateMode: async ({ params, body }, { db, clock }) =>
    await db.transaction(async (sql) => {
      await lockState(sql);
      return await store(sql, await requireMode(sql, params.name), body, clock.now());
    }),

  deleteMode: async ({ params }, { db, clock }) => {
    await db.transaction(async (sql) => {
      await lockState(sql);
      const { name, built_in } = await requireMode(sql, params.name);
      if (built_in) throw new Problem("conflict", `The mode ${name} is built in and cannot be deleted`);
      const { mode, pending } = await settlePending(sql, clock.now());
      if (mode === name || pending?.mode === name)
        throw new Problem("conflict", `The home is in mode ${name}; switch to another mode first`);
      const rules = await rulesNaming(sql, name);
      if (rules.length > 0) throw new Problem("conflict", `These rules name the mode ${name}: ${rules.join(", ")}; change them first`);
      await removeMode(sql, name);
    });
    return undefined;
  },
};

type Sql = Parameters<typeof allModes>[0];
type Change = Parameters<typeof modeOperations.updateMode>[0]["body"];

async function requireMode(sql: Sql, name: string): Promise<Mode> {
  const mode = (await allModes(sql)).find((each) => each.name === name);
  if (!mode) throw notFound("Mode", name, "`homesec modes list` shows all modes");
  return mode;
}

/** Applies changes to a mode and stores it; undefined fields keep their values. */
async function store(sql: Sql, before: Mode, { exit_delay_seconds, entry_delay_seconds, schedule }: Change, now: Date): Promise<Mode> {
  const mode: Mode = {
    ...before,
    exit_delay_seconds: exit_delay_seconds ?? before.exit_delay_seconds,
    entry_delay_seconds: entry_delay_seconds ?? before.entry_delay_seconds,
    schedule: schedule === undefined ? before.schedule : schedule && { ...schedule, days: schedule.days ?? [] },
  };
  if (mode.name === "home" && mode.schedule !== null) {
    throw new Problem("invalid", "The mode home has no schedule: the home is in it when no other schedule applies", {
      items: [{ loc: ["body", "schedule"], msg: "Must be null for the mode home", type: "value_error" }],
    });
  }
  await storeMode(sql, mode, now);
  return mode;
}
