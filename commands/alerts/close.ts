import { Problem } from "../../src/contract/problem.ts";
import { changeCommand, type Result, type Target } from "../change-command.ts";
import type { Command } from "../command.ts";
import { textArgument } from "../input/arguments.ts";
import { choice, idOf } from "../input/options.ts";
import type { Io } from "../io.ts";
import { pages } from "../output/pages.ts";
import { type AlertFilter, alertFilterOptions } from "./filter.ts";
import { alertView } from "./view.ts";

const exampleId = "5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a11";

/** Alerts in these states can be closed. */
const openStatuses = ["pending", "delivered"] as const;

/** The rate limit of the daemon: alerts that can be closed in a minute, one request each. */
const perMinute = 60;

type Filter = AlertFilter & { readonly status: (typeof openStatuses)[number] | undefined };

async function* targetsOf(io: Io, { status, ...filter }: Filter): AsyncGenerator<readonly Target<string>[]> {
  for (const each of status === undefined ? openStatuses : [status]) {
    const bodies = pages(Number.MAX_SAFE_INTEGER, (page) => io.call("listAlerts", { query: { ...filter, status: each, ...page } }));
    for await (const { items } of bodies) yield items.map(({ id, camera_id, created_at }) => ({ id, camera_id, at: created_at }));
  }
}

interface Closing {
  readonly verb: string;
  readonly operation: "acknowledgeAlert" | "dismissAlert";
  readonly done: string;
  readonly meaning: string;
  readonly note: string;
}

/** A command that closes an alert, or with --all every open one that matches. The API answers a second one with a conflict. */
function closing({ verb, operation, done, meaning, note }: Closing): Command {
  const word = operation === "acknowledgeAlert" ? "Acknowledge" : "Dismiss";
  return changeCommand({
    name: `alerts ${verb}`,
    summary: `${word} an alert, or all matching ones: ${meaning}`,
    description: `${word} an alert: ${meaning}. Unsent messages of the alert are cancelled. Exits with 5 if the alert is already closed. With --all it counts the open alerts that match the filters, asks, and closes them; with more than ${perMinute} it waits for the rate limit.`,
    examples: [
      { command: `homesec alerts ${verb} ${exampleId}`, note },
      { command: `homesec alerts ${verb} --all --since yesterday`, note: "all open alerts since yesterday" },
      { command: `homesec alerts ${verb} --all --camera-id yard --yes`, note: "in a script" },
    ],
    noun: "alert",
    argument: idOf("alert", textArgument("Alert id, or its start")),
    options: {},
    filters: { status: choice(openStatuses, "Only alerts with this status"), ...alertFilterOptions },
    view: alertView,
    one: (io, id) => io.call(operation, { params: { id } }),
    note: ({ id }) => `alert ${id} ${done}`,
    targets: targetsOf,
    warning: ({ global }, count) =>
      global.direct || count <= perMinute
        ? undefined
        : `${count} alerts take about ${Math.ceil(count / perMinute)} minutes: the rate limit allows about ${perMinute} a minute`,
    question: (what) => `${word} ${what}?`,
    perRequest: 1,
    some: async (io, ids) => await Promise.all(ids.map((id, index) => closed(io, operation, id, index))),
    done: (count) => `${count} ${done}`,
  });
}

/** Closes one of many alerts. One that someone else has closed or removed meanwhile does not stop the others. */
async function closed(io: Io, operation: Closing["operation"], id: string, index: number): Promise<Result> {
  try {
    await io.call(operation, { params: { id } });
    return { index, status: "success", id, error: null };
  } catch (error) {
    if (!(error instanceof Problem) || !["conflict", "not_found"].includes(error.kind)) throw error;
    return { index, status: "failed", id, error: error.message };
  }
}

export const acknowledgeAlerts = closing({
  ...{ verb: "ack", operation: "acknowledgeAlert", done: "acknowledged", meaning: "someone is handling it", note: "I am on it" },
});

export const dismissAlerts = closing({
  ...{ verb: "dismiss", operation: "dismissAlert", done: "dismissed", meaning: "no action needed", note: "false alarm" },
});
