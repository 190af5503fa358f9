import { cleanup } from "./cleanup.ts";
import type { Command, Noun } from "./command.ts";
import { completion } from "./completion.ts";
import { demo } from "./demo.ts";
import { docs } from "./docs.ts";
import { doctor } from "./doctor.ts";
import { explain } from "./explain.ts";
import { health } from "./health.ts";
import { live } from "./live/live.ts";
import { selftest } from "./selftest.ts";
import { serve } from "./serve.ts";
import { trigger } from "./trigger.ts";

/** The commands of one word, in the order of help. */
const plainCommands: readonly Command[] = [serve, demo, live, trigger, explain, health, doctor, selftest, cleanup, completion, docs];

/** The first words of all others, in the order of help. */
export const nouns: readonly Noun[] = [
  {
    name: "cameras",
    summary: "Cameras and their folders",
    groups: [
      { name: "baseline", summary: "What is usual at a camera" },
      { name: "scene-changes", summary: "When a camera sees something else than before" },
    ],
    load: () => import("./cameras/commands.ts"),
  },
  { name: "events", summary: "What happened, and how it was judged", load: () => import("./events/commands.ts") },
  { name: "detections", summary: "What was seen in single pictures", load: () => import("./detections/commands.ts") },
  { name: "entities", summary: "Whom and what was recognised again", load: () => import("./entities/commands.ts") },
  { name: "rules", summary: "When an event raises an alert", load: () => import("./rules/commands.ts") },
  { name: "alerts", summary: "What somebody is to know of", load: () => import("./alerts/commands.ts") },
  { name: "silence", summary: "Hold alerts back for a while", load: () => import("./silence/commands.ts") },
  { name: "webhooks", summary: "Other programs that are told what happens", load: () => import("./webhooks/commands.ts") },
  { name: "notifications", summary: "Mail and webhook for alerts", load: () => import("./notifications/commands.ts") },
  { name: "analytics", summary: "What happened over days", load: () => import("./analytics/commands.ts") },
  { name: "workers", summary: "What runs in the background", load: () => import("./workers/commands.ts") },
  { name: "breakers", summary: "Which AI services are left alone", load: () => import("./breakers/commands.ts") },
  { name: "dlq", summary: "Dead letters: jobs that failed for good", load: () => import("./dlq/commands.ts") },
  { name: "gpu", summary: "The graphics card", load: () => import("./gpu/commands.ts") },
  { name: "keys", summary: "Keys for the API", load: () => import("./keys/commands.ts") },
  { name: "config", summary: "The configuration", load: () => import("./config/commands.ts") },
  { name: "db", summary: "The database", load: () => import("./db/commands.ts") },
];

/** The commands that `words` can mean: those of one word, and those whose noun is among them. */
export async function commandsFor(words: readonly string[]): Promise<readonly Command[]> {
  const modules = await Promise.all(nouns.filter(({ name }) => words.includes(name)).map((noun) => noun.load()));
  return [...plainCommands, ...modules.flatMap(({ commands }) => commands)];
}

/** Every command. */
export function allCommands(): Promise<readonly Command[]> {
  return commandsFor(nouns.map(({ name }) => name));
}
