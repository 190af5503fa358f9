import { z } from "zod";
import { keyKinds, keyRoles, keyStatuses, longestKeySeconds } from "../constants.ts";
import { listOf, pageQuery } from "../page.ts";
import { routesOf } from "../route.ts";
import { DisplayName, EnumText, Instant } from "../values.ts";

const route = routesOf("keys");

const Name = DisplayName(64).meta({ description: "Name of the person or program; shown with what it changes", example: "anna" });
const Role = z.enum(keyRoles).meta({
  description: "`owner`: everything; `resident`: sees everything in the home, reviews, acknowledges and mutes; `guest`: sees some cameras",
  example: "guest",
});
const CameraIds = z.array(z.string()).meta({ description: "Cameras that a guest sees", example: ["front-door"] });

/** A key for programs, or the access of a browser. The secret itself is not stored. */
export const Key = z
  .object({
    id: z.uuid().meta({ description: "Id of the key", example: "4b0e62b1-0e3c-4c3a-9b0e-11f6f0d5a7c1" }),
    kind: z.enum(keyKinds).meta({ description: "`key` for programs; an `invitation` becomes the `session` of a browser", example: "key" }),
    name: Name,
    role: Role,
    camera_ids: CameraIds.nullable().meta({ description: "Cameras that a guest sees; null for all" }),
    status: z.enum(keyStatuses).meta({ description: "`active` while it works", example: "active" }),
    created_at: Instant.meta({ description: "When it was created", example: "2026-02-01T08:00:00.000Z" }),
    expires_at: Instant.nullable().meta({ description: "When it expires; null for never", example: null }),
    ended_at: Instant.nullable().meta({ description: "When it was revoked or used up; null if it was not", example: null }),
    last_seen_at: Instant.nullable().meta({ description: "Last use, to the minute; null if there was none", example: null }),
    device: z.string().nullable().meta({ description: "Browser of a session, as it describes itself; null for others", example: null }),
  })
  .meta({ id: "Key", description: "A named key, an invitation or a session, without its secret" });

/** An invitation must be accepted within this time, in seconds. */
export const invitationSeconds = 600;

const InvitationToken = z.string().min(1).max(200).meta({ description: "Token of the invitation", example: "hs_J9oQ" });
/** Any text is accepted; one that is no token is 404 in any format. */
const invitation = z.object({ token: z.string().meta({ description: "Token of the invitation", example: "hs_J9oQ" }) });

const noSuchInvitation = "No invitation has this token";
const endedInvitation = "The invitation was accepted already, was revoked, or has expired";
const invitationRefusals = { 404: noSuchInvitation, 410: endedInvitation };

/** Why an invitation no longer works: the beginning of the message of 410, by which the page translates it. */
export const invitationEnds = {
  used: "The invitation was accepted already, or revoked",
  expired: "The invitation has expired",
} as const;

/** Who the client of a request is. */
const Session = z
  .object({
    kind: z
      .enum(keyKinds)
      .nullable()
      .meta({ description: "`session` or `key`; null without one, and for a key of `API_KEYS`", example: "session" }),
    name: z.string().nullable().meta({ description: "Name of the person or program; null without one", example: "anna" }),
    role: Role.nullable().meta({ description: "What the client may do; null if it needs a key or an invitation first" }),
    camera_ids: CameraIds.nullable().meta({ description: "Cameras that a guest sees; null for all" }),
    expires_at: Instant.nullable().meta({ description: "When the session or key expires; null for never", example: null }),
    keys_required: z.boolean().meta({ description: "Whether clients without a key or session are refused", example: true }),
  })
  .meta({ id: "Session", description: "The client of this request and its rights" });

/** A change by a client with a name: who did what to which thing. */
const Change = z
  .object({
    id: z.int().meta({ description: "Id of the change", example: 7 }),
    at: Instant.meta({ description: "When it was made", example: "2026-02-01T08:00:00.000Z" }),
    by: z.string().meta({ description: "Name of the key or session", example: "anna" }),
    role: Role,
    operation: z.string().meta({ description: "Id of the operation", example: "updateEvent" }),
    subjects: z.array(z.string()).meta({ description: "Addresses below `/api/` of what changed", example: ["events/12"] }),
    fields: z.array(z.string()).meta({
      description: "Names of the values that the request set; switches with their value",
      example: ["reviewed=true"],
    }),
  })
  .meta({ id: "Change", description: "A change by a named key, a session or a key of `API_KEYS`, without the values" });

export const keyRoutes = {
  listKeys: route.get("/api/keys", "List named keys, invitations and sessions, newest first", {
    query: z.object({
      status: EnumText(keyStatuses).optional().meta({ description: "Only active, or only ended ones" }),
      ...pageQuery,
    }),
    reply: listOf(Key),
  }),
  createKey: route.post("/api/keys", "Create a named key; the reply shows it once", {
    body: z.strictObject({
      name: Name,
      role: Role,
      camera_ids: CameraIds.min(1).max(1_000).optional(),
      expires_in_seconds: z
        .int()
        .min(1)
        .max(longestKeySeconds)
        .optional()
        .meta({ description: "Validity in seconds; without it the key does not expire" }),
    }),
    status: 201,
    reply: Key.extend({ api_key: z.string().meta({ description: "The key; it cannot be shown again", example: "hs_J9oQ" }) }),
    refusals: {
      403: "Without a key, only programs on the machine of homesec may create one",
      404: "A camera does not exist",
      409: "Another active key has this name",
    },
    example: { body: { name: "anna", role: "guest", camera_ids: ["front-door"], expires_in_seconds: 2_592_000 }, reply: {} },
  }),
  createInvitation: route.post("/api/keys/invitations", "Create an invitation that one browser can accept within ten minutes", {
    body: z.strictObject({ name: Name, role: Role, camera_ids: CameraIds.min(1).max(1_000).optional() }),
    status: 201,
    reply: Key.extend({
      token: z.string().meta({ description: "The token; it cannot be shown again", example: "hs_J9oQ" }),
      path: z.string().meta({ description: "Path of the page that accepts it", example: "/invite/hs_J9oQ" }),
      url: z.string().nullable().meta({ description: "Its address below `PUBLIC_URL`; null without that setting", example: null }),
    }),
    refusals: {
      403: "Without a key, only programs on the machine of homesec may invite",
      404: "A camera does not exist",
      409: "The web page, which accepts invitations, is off",
    },
    example: { body: { name: "anna", role: "guest", camera_ids: ["front-door"] }, reply: { kind: "invitation" } },
  }),
  listChanges: route.get("/api/changes", "List who changed what, newest first; kept for RETENTION_DAYS", {
    query: z.object({
      subject: z
        .string()
        .max(300)
        .optional()
        .meta({ description: "Only changes of this thing, by its address below `/api/`, such as `events/12`" }),
      ...pageQuery,
    }),
    reply: listOf(Change),
  }),
  getSession: route.get("/api/session", "Get the name, role and cameras of this client", { auth: "none", reply: Session }),
  startSession: route.post("/api/session", "Accept an invitation; the reply sets the cookie of a session", {
    auth: "none",
    body: z.strictObject({ token: InvitationToken }),
    status: 201,
    reply: Session,
    refusals: invitationRefusals,
  }),
  signInWithKey: route.post(
    "/api/session/key",
    "Make a session with the rights of the API key of this request; the reply sets its cookie",
    {
      status: 201,
      reply: Session,
      refusals: { 409: "The request has no key, and none is required" },
      example: { reply: { kind: "session", role: "owner" } },
    },
  ),
  getInvitation: route.get("/api/invitations/{token}", "Get what an invitation grants, without accepting it", {
    auth: "none",
    params: invitation,
    reply: z
      .object({
        name: Name,
        role: Role,
        expires_at: Instant.meta({ description: "When it expires", example: "2026-02-01T08:10:00.000Z" }),
      })
      .meta({ id: "InvitationContent", description: "What an invitation grants" }),
    refusals: invitationRefusals,
  }),
  endSession: route.delete("/api/session", "Sign out: end the session of this browser and delete its cookie", {
    auth: "none",
    status: 204,
  }),
  revokeKey: route.delete("/api/keys/{id}", "Revoke a key, an invitation or a session at once; its WebSockets close", {
    params: z.object({ id: z.string().meta({ description: "Key id, a UUID" }) }),
    status: 204,
    refusals: {
      403: "Without a key, only programs on the machine of homesec may revoke one",
      404: "No key has this id",
      409: "The key has already ended",
    },
  }),
};
