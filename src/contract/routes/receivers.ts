import { z } from "zod";
import { mailRuleFields, receiverProtocols, receiverStates } from "../constants.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, EnumText, Instant, IntText } from "../values.ts";

const route = routesOf("receivers");

const protocolMeta = { description: "How the camera delivers", example: "ftp" };
const Protocol = z.enum(receiverProtocols).meta(protocolMeta);

/** Gives the mails of a recorder to a camera. */
export const MailRule = z
  .strictObject({
    field: z.enum(mailRuleFields).meta({
      description: "What the pattern describes: the whole subject, the sender's whole address or name, or a whole line of the text",
      example: "subject",
    }),
    pattern: z
      .string()
      .trim()
      .min(1, "Must not be empty")
      .max(200, "Must have at most 200 characters")
      .refine((text) => !/\p{Cc}/u.test(text), "Must be one line")
      .meta({ description: "`*` stands for any characters, `?` for one; upper and lower case are the same", example: "*Channel A2" }),
    camera_id: z.string().meta({ description: "Id of the camera that gets the mail", example: "front-door" }),
  })
  .meta({ id: "MailRule", description: "Gives the mails of a recorder that match a pattern to a camera" });

const unmatchedMeta = { description: "Camera that gets mails that no rule matches; null: they are refused", example: null };

/** The login of a camera for one protocol. */
export const CameraLogin = z
  .object({
    camera_id: CameraIdText,
    protocol: Protocol,
    username: z.string().meta({ description: "User name to enter in the camera", example: "front-door" }),
    created_at: Instant.meta({ description: "When the password was created" }),
    last_connected_at: Instant.nullable().meta({ description: "When the camera last logged in; null if it never did", example: null }),
    last_delivery_at: Instant.nullable().meta({ description: "When it last delivered a file; null if it never did", example: null }),
    file_count: z.int().meta({ description: "Files that it delivered with this password", example: 0 }),
    mail_rules: z.array(MailRule).meta({
      description: "Of a recorder that sends mails for several cameras: who gets a mail; the first match decides. Empty: this camera",
      example: [],
    }),
    unmatched_camera_id: z
      .string()
      .nullable()
      .meta({ ...unmatchedMeta, description: `With rules: ${unmatchedMeta.description}` }),
  })
  .meta({ id: "CameraLogin", description: "The login with which a camera delivers its pictures" });

/** A delivery that failed. */
export const DeliveryFault = z
  .object({
    occurred_at: Instant.meta({ description: "When it failed" }),
    protocol: Protocol,
    camera_id: z.string().nullable().meta({ description: "The camera; null for an unknown user name", example: "front-door" }),
    username: z.string().nullable().meta({ description: "The user name that was sent; null if there was none", example: "front-door" }),
    client: z.string().meta({ description: "Address of the camera", example: "192.168.1.64" }),
    message: z.string().meta({ description: "What failed, why, and the fix", example: "Wrong password for user front-door" }),
  })
  .meta({ id: "DeliveryFault", description: "A delivery of a camera that failed, and why" });

/** What to enter in the camera. */
const CameraSettings = z
  .object({
    host: z
      .string()
      .nullable()
      .meta({ description: "Address of this machine; null if it could not be determined", example: "192.168.1.10" }),
    port: z.int().meta({ description: "Port", example: 2121 }),
    username: z.string().meta({ description: "User name", example: "front-door" }),
    password: z.string().meta({ description: "Password; it cannot be shown again", example: "k3mx7rq2fh9tnw4c" }),
    folder: z.string().nullable().meta({ description: "Folder on the server; null if the protocol has none", example: "/" }),
    recipient: z.string().nullable().meta({ description: "Mail address of the recipient; null unless by mail", example: null }),
    url: z.string().nullable().meta({ description: "Address to upload to; null unless by HTTP", example: null }),
  })
  .meta({ id: "CameraSettings", description: "What to enter in the camera" });

const Receiver = z
  .object({
    protocol: Protocol,
    state: z.enum(receiverStates).meta({
      description: "`off` while no camera has a login; `elsewhere`: a daemon with the role `receive` runs it",
      example: "listening",
    }),
    host: z.string().meta({ description: "Address that it listens on", example: "0.0.0.0" }),
    port: z.int().meta({ description: "Port that it listens on", example: 2121 }),
    fault: z.string().nullable().meta({ description: "Why it does not listen; null unless failed", example: null }),
    connections: z.int().meta({ description: "Open connections", example: 0 }),
    login_count: z.int().meta({ description: "Cameras that have a login", example: 1 }),
  })
  .meta({ id: "Receiver", description: "A server to which cameras deliver pictures" });

const params = z.object({ camera_id: CameraIdText, protocol: EnumText(receiverProtocols).meta(protocolMeta) });
const noSuchCamera = "No camera has this id";

export const receiverRoutes = {
  listReceivers: route.get("/api/receivers", "List the receivers, the logins of cameras and recent faults", {
    query: z.object({
      camera_id: z.string().optional().meta({ description: "Only logins and faults of this camera, and faults of unknown user names" }),
      fault_minutes: IntText(1, 10_080).default(60).meta({ description: "Only faults of this many minutes (default 60)" }),
    }),
    reply: z.object({
      receivers: z.array(Receiver).meta({ description: "One per protocol" }),
      logins: z.array(CameraLogin).meta({ description: "Logins of the cameras" }),
      recent_faults: z.array(DeliveryFault).meta({ description: "Newest first, at most 50" }),
    }),
  }),
  createCameraLogin: route.post(
    "/api/cameras/{camera_id}/logins/{protocol}",
    "Create a login with which the camera delivers pictures; it replaces an earlier one",
    {
      params,
      body: z.strictObject({
        username: z
          .string()
          .regex(/^[A-Za-z0-9._-]{1,64}$/, "Must have 1 to 64 letters, digits, dots, hyphens or underscores")
          .optional()
          .meta({ description: "User name (default: the id of the camera)" }),
      }),
      status: 201,
      reply: CameraLogin.extend({ settings: CameraSettings }),
      refusals: { 404: noSuchCamera, 409: "Another camera has this user name, or the camera's folder is unusable" },
      example: { body: { username: "front-door" }, reply: {} },
    },
  ),
  setMailRules: route.put(
    "/api/cameras/{camera_id}/logins/mail/rules",
    "Set which cameras get the mails of a recorder; no rules: all go to the camera of the login",
    {
      params: z.object({ camera_id: CameraIdText }),
      body: z.strictObject({
        rules: z
          .array(MailRule)
          .max(64, "Must have at most 64 rules")
          .meta({ description: "Tried in this order; the first match decides" }),
        unmatched_camera_id: z
          .string()
          .nullable()
          .optional()
          .meta({ ...unmatchedMeta, description: `${unmatchedMeta.description} (default the camera of the login)` }),
      }),
      reply: CameraLogin,
      refusals: { 404: "No camera has this id, or it has no login for mail" },
      example: {
        body: { rules: [{ field: "subject", pattern: "*Channel A2", camera_id: "front-door" }], unmatched_camera_id: null },
        reply: {},
      },
    },
  ),
  deleteCameraLogin: route.delete("/api/cameras/{camera_id}/logins/{protocol}", "Delete the login of a camera: it stops working at once", {
    params,
    status: 204,
    refusals: { 404: "No camera has this id, or it has no such login" },
  }),
};
