import { keyRoles, keyStatuses, longestKeySeconds } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Command } from "../command.ts";
import { actionCommand, listCommand, recordCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { ambiguous } from "../input/find.ts";
import { matchId } from "../input/match-id.ts";
import { choice, idOf, list, seconds, text, withDefault } from "../input/options.ts";
import type { Io } from "../io.ts";
import { addressOf, noteAddress } from "../output/note-address.ts";
import { changeView, invitationView, type Key, keyView, newKeyView } from "./view.ts";

const mostKeys = 1_000;

/** The role of a new key and the cameras of a guest. */
export const roleOptions = {
  role: withDefault(choice(keyRoles, "Role of the key"), "guest"),
  cameras: idOf("camera", list("camera", "Cameras that a guest sees, by id or name")),
};

/** Roles protect nothing while clients may leave the key away. */
async function noteIfKeysAreOff(io: Io): Promise<void> {
  if (io.global.direct) return;
  const { keys_required } = await io.call("getSession", {});
  if (!keys_required) io.output.note("clients without a key may still do everything; set API_KEY_ENABLED=true to require keys");
}

const createKey = recordCommand({
  name: "keys create",
  summary: "Create a named key for a person or program",
  description:
    "Creates a key with a role and shows it once; only its hash is stored. An owner may do everything. A resident sees everything in the home, reviews, acknowledges and mutes. A guest sees some cameras. The key works at once.",
  arguments: { name: textArgument("Name, shown with what the key changes") },
  options: { ...roleOptions, expires: seconds(1, longestKeySeconds, "Validity, such as 30d (default: no end)") },
  examples: [
    { command: "homesec keys create anna --role resident", note: "for someone who lives here" },
    { command: "homesec keys create neighbour --cameras front-door --expires 30d", note: "a guest who sees one camera for a month" },
  ],
  view: newKeyView,
  record: (io, { arguments: { name }, options: { role, cameras, expires } }) =>
    io.call("createKey", { body: { name, role, camera_ids: cameras, expires_in_seconds: expires } }),
  after: noteIfKeysAreOff,
  note: ({ name }) => `key ${JSON.stringify(name)} created; store it like a password, because it cannot be shown again`,
});

const inviteToSession = recordCommand({
  name: "keys invite",
  summary: "Invite a person's browser with an address for one use",
  description:
    "Prints an address, also as a QR code for the camera of a phone, that works once, within ten minutes. A browser that opens it is signed in with the role, without a password, until 90 days without use.",
  arguments: { name: textArgument("Name, shown with what the person changes") },
  options: roleOptions,
  examples: [
    { command: "homesec keys invite anna --role resident", note: "for the phone of someone who lives here" },
    { command: "homesec keys invite neighbour --cameras front-door", note: "a guest who sees one camera" },
  ],
  view: invitationView,
  async record(io, { arguments: { name }, options: { role, cameras } }) {
    const invitation = await io.call("createInvitation", { body: { name, role, camera_ids: cameras } });
    return { ...invitation, url: await addressOf(io, invitation) };
  },
  note: ({ name }) => `invitation for ${JSON.stringify(name)}: open the address on the device, within ten minutes`,
  after: ({ output }, { url }) => noteAddress(output, url),
});

const listChanges = listCommand({
  name: "keys changes",
  summary: "List who changed what",
  description:
    "Lists what clients with a named key, a session or a key of API_KEYS changed, newest first, without the values. Kept for RETENTION_DAYS. A client without a key has no name, so it is not listed.",
  options: { subject: text("address", "Only changes of this thing, by its address below /api/") },
  examples: [
    { command: "homesec keys changes", note: "the newest first" },
    { command: "homesec keys changes --subject events/12", note: "who reviewed or deleted an event" },
  ],
  view: changeView,
  page: (io, { options }, page) => io.call("listChanges", { query: { ...options, ...page } }),
  rows: (body) => body.items,
});

const revokeKey = actionCommand({
  name: "keys revoke",
  summary: "Revoke the keys and sessions of a name at once",
  description:
    "Revokes everything with this name, or one key, invitation or session by its id. Their requests are refused from now on, and their live connections close.",
  arguments: { key: textArgument("Name, id, or start of an id") },
  examples: [
    { command: "homesec keys revoke anna", note: "all keys and sessions of anna" },
    { command: "homesec keys revoke 4b0e62b1", note: "one of them" },
  ],
  async act(io, { arguments: { key: given } }) {
    const { items } = await io.call("listKeys", { query: { status: "active", limit: mostKeys } });
    const found = matchId<Key>(given, items);
    const [first, ...others] = found;
    if (!first)
      throw new Problem("not_found", `Key ${JSON.stringify(given)} does not exist or has ended; \`homesec keys list\` shows names and ids`);
    if (others.some(({ name }) => name !== first.name)) throw ambiguous("keys", given, found, items);
    for (const { id } of found) await io.call("revokeKey", { params: { id } });
    return `revoked ${found.map(({ kind, name, id }) => `${kind} ${JSON.stringify(name)} (${id})`).join(", ")}`;
  },
});

/** The commands of keys that the database stores. */
export const namedKeyCommands: readonly Command[] = [
  createKey,
  inviteToSession,
  listCommand({
    name: "keys list",
    summary: "List named keys, invitations and sessions, newest first",
    options: { status: choice(keyStatuses, "Only keys with this status") },
    examples: [
      { command: "homesec keys list --status active", note: "who has access now" },
      { command: "homesec keys list -o json", note: "all of them as JSON" },
    ],
    view: keyView,
    page: (io, { options }, page) => io.call("listKeys", { query: { ...options, ...page } }),
    rows: (body) => body.items,
  }),
  listChanges,
  revokeKey,
];
