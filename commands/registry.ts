import type { Command, Noun } from "./command.ts";

/** The commands of one word, in the order of help. Each file loads only when its word is typed or all commands are listed. */
const plainCommands: readonly { readonly name: string; load(): Promise<Command> }[] = [
  { name: "serve", load: async () => (await import("./serve.ts")).serve },
  { name: "demo", load: async () => (await import("./demo.ts")).demo },
  { name: "setup", load: async () => (await import("./setup/setup.ts")).setup },
  { name: "live", load: async () => (await import("./live/live.ts")).live },
  { name: "open", load: async () => (await import("./open.ts")).open },
  { name: "mode", load: async () => (await import("./modes/mode.ts")).mode },
  { name: "trigger", load: async () => (await import("./trigger.ts")).trigger },
  { name: "summary", load: async () => (await import("./summary.ts")).summary },
  { name: "explain", load: async () => (await import("./explain.ts")).explain },
  { name: "health", load: async () => (await import("./health.ts")).health },
  { name: "doctor", load: async () => (await import("./doctor.ts")).doctor },
  { name: "selftest", load: async () => (await import("./selftest.ts")).selftest },
  { name: "cleanup", load: async () => (await import("./cleanup.ts")).cleanup },
  { name: "completion", load: async () => (await import("./completion.ts")).completion },
  { name: "docs", load: async () => (await import("./docs.ts")).docsCommand(allCommands) },
];

/** The first words of all others, in the order of help. */
export const nouns: readonly Noun[] = [
  {
    name: "cameras",
    summary: "Cameras and their folders",
    groups: [
      { name: "baseline", summary: "Usual activity of a camera" },
      { name: "scene-changes", summary: "Changes of a camera's view" },
      { name: "masks", summary: "Places where detections are ignored" },
      { name: "zones", summary: "Named areas of a camera's picture" },
    ],
    load: () => import("./cameras/commands.ts"),
  },
  { name: "receivers", summary: "Servers to which cameras deliver", load: () => import("./receivers/commands.ts") },
  { name: "events", summary: "Events and their risk scores", load: () => import("./events/commands.ts") },
  { name: "detections", summary: "Objects detected in pictures", load: () => import("./detections/commands.ts") },
  { name: "entities", summary: "People and objects seen before", load: () => import("./entities/commands.ts") },
  { name: "rules", summary: "Rules that raise alerts", load: () => import("./rules/commands.ts") },
  { name: "alerts", summary: "Alerts", load: () => import("./alerts/commands.ts") },
  { name: "silence", summary: "Mute alerts for a while", load: () => import("./silence/commands.ts") },
  { name: "modes", summary: "Modes of the home: home, away, night, off", load: () => import("./modes/commands.ts") },
  { name: "webhooks", summary: "Deliveries to other programs", load: () => import("./webhooks/commands.ts") },
  { name: "channels", summary: "Channels to phones", load: () => import("./channels/commands.ts") },
  { name: "recipients", summary: "People whom rules notify", load: () => import("./recipients/commands.ts") },
  { name: "notifications", summary: "Channels that send alerts", load: () => import("./notifications/commands.ts") },
  { name: "analytics", summary: "Statistics per day", load: () => import("./analytics/commands.ts") },
  { name: "workers", summary: "Background workers and daemons", load: () => import("./workers/commands.ts") },
  { name: "detector", summary: "Detector of the daemon", load: () => import("./detector/commands.ts") },
  { name: "models", summary: "Language models that judge events", load: () => import("./models/commands.ts") },
  { name: "breakers", summary: "Circuit breakers of the AI services", load: () => import("./breakers/commands.ts") },
  { name: "dlq", summary: "Failed jobs (dead letters)", load: () => import("./dlq/commands.ts") },
  { name: "gpu", summary: "GPU load and memory", load: () => import("./gpu/commands.ts") },
  { name: "retention", summary: "How long data is kept, by camera and severity", load: () => import("./retention/commands.ts") },
  { name: "shares", summary: "Events shown to people without an account", load: () => import("./shares/commands.ts") },
  { name: "evidence", summary: "Signed packs of an event to hand on", load: () => import("./evidence/commands.ts") },
  { name: "keys", summary: "API keys", load: () => import("./keys/commands.ts") },
  { name: "config", summary: "Configuration and settings", load: () => import("./config/commands.ts") },
  { name: "db", summary: "Database migration, backup and restore", load: () => import("./db/commands.ts") },
];

/** The commands that `words` may refer to: those of one word, and those whose noun is among the words. */
export async function commandsFor(words: readonly string[]): Promise<readonly Command[]> {
  const modules = nouns.filter(({ name }) => words.includes(name)).map(async (noun) => (await noun.load()).commands);
  return (await Promise.all([...plainCommands.map(async (plain) => [await plain.load()]), ...modules])).flat();
}

/** A part of the command line: all of it, or as much as the typed words need. */
export interface CommandSet {
  readonly commands: readonly Command[];
  readonly nouns: readonly Noun[];
}

/** The commands that start with the first word, since loading the others takes longer than most commands; all for other words. */
export async function commandsOf([first = "", ...rest]: readonly string[]): Promise<CommandSet> {
  const noun = nouns.find(({ name }) => name === first);
  if (noun) return { commands: (await noun.load()).commands, nouns: [noun] };
  const plain = plainCommands.find(({ name }) => name === first);
  if (plain) return { commands: [await plain.load()], nouns: [] };
  return { commands: await commandsFor([first, ...rest]), nouns };
}

/** Every command. */
export function allCommands(): Promise<readonly Command[]> {
  return commandsFor(nouns.map(({ name }) => name));
}
