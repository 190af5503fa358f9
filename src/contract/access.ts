import type { KeyRole } from "./constants.ts";
import type { JournalType } from "./live.ts";
import type { OperationId } from "./routes/index.ts";

/**
 * How the cameras of a guest limit a route. `none`: the reply holds no data of cameras. `list`: the operation lists only the guest's
 * cameras. `query`: the filter `camera_id` is narrowed to them. `camera`, `event`, `detection`: the id in the path must belong to one of
 * them, otherwise the reply is 404 as if it did not exist.
 */
export type GuestScope = "none" | "list" | "query" | "camera" | "event" | "detection";

/** What a client with a named key or a session needs for a route. */
export type Need = { readonly role: "owner" | "resident" } | { readonly role: "guest"; readonly cameras: GuestScope };

const owner = { role: "owner" } as const;
const resident = { role: "resident" } as const;
const guest = (cameras: GuestScope) => ({ role: "guest", cameras }) as const;

/** The least role for each route, including those of pictures and videos. A route without an entry does not compile. */
export const needs: Readonly<Record<OperationId, Need>> = {
  listCameras: guest("list"),
  createCamera: owner,
  listDeletedCameras: resident,
  validateCameraPaths: owner,
  getCamera: guest("camera"),
  updateCamera: owner,
  deleteCamera: owner,
  restoreCamera: owner,
  getCameraSnapshot: guest("camera"),
  getCameraParking: guest("camera"),
  setCameraParking: owner,
  listPulls: owner,
  getCameraPull: owner,
  setCameraPull: owner,
  deleteCameraPull: owner,
  testCameraPull: owner,

  listReceivers: owner,
  createCameraLogin: owner,
  deleteCameraLogin: owner,
  setMailRules: owner,

  getBaseline: resident,
  listAnomalies: resident,
  getActivityBaseline: resident,
  getClassBaseline: resident,
  getBaselineConfig: resident,
  updateBaselineConfig: owner,
  resetBaseline: owner,
  listSceneChanges: guest("camera"),
  acknowledgeSceneChange: resident,
  listAllZones: resident,
  listZones: guest("camera"),
  setZone: owner,
  deleteZone: owner,
  confirmZones: owner,
  listMasks: resident,
  tryMask: resident,
  createMask: owner,
  deleteMask: owner,

  listDetections: guest("query"),
  searchDetections: guest("query"),
  getDetection: guest("detection"),
  getDetectionImage: guest("detection"),
  getDetectionThumbnail: guest("detection"),
  getDetectionPreview: guest("detection"),
  getDetectionEnrichment: guest("detection"),
  getDetectionVideo: guest("detection"),
  getDetectionVideoThumbnail: guest("detection"),
  createDetections: owner,
  updateDetections: owner,
  deleteDetections: owner,
  getDetectionStats: guest("query"),
  listDetectionLabels: resident,

  listEntities: resident,
  getEntity: resident,

  listEvents: guest("query"),
  searchEvents: guest("query"),
  exportEvents: resident,
  listDeletedEvents: resident,
  createEvents: owner,
  updateEvents: resident,
  deleteEvents: owner,
  getEvent: guest("event"),
  updateEvent: resident,
  deleteEvent: owner,
  restoreEvent: owner,
  reanalyzeEvent: owner,
  getEventStats: guest("query"),
  getEventTimeline: guest("query"),

  listPictureGaps: guest("query"),
  listImages: resident,
  getImage: resident,
  explainEvent: resident,
  explainImage: resident,
  explainPath: resident,
  explainAlert: resident,
  explainMoment: resident,

  receiveAlerts: owner,
  listReceivedAlerts: resident,
  listRules: resident,
  createRule: owner,
  getRule: resident,
  updateRule: owner,
  deleteRule: owner,
  testRule: owner,
  backtestRule: owner,
  backtestDefinition: owner,
  listAlerts: resident,
  getAlert: resident,
  acknowledgeAlert: resident,
  dismissAlert: resident,
  listSilences: resident,
  createSilence: resident,
  getSilence: resident,
  endSilence: resident,

  getMode: resident,
  setMode: resident,
  listModeSwitches: resident,
  listModes: resident,
  createMode: owner,
  updateMode: owner,
  deleteMode: owner,

  getSummary: resident,
  getDetectionTrends: resident,
  getRiskHistory: resident,
  getCameraUptime: resident,
  getObjectDistribution: resident,
  getRiskScoreDistribution: resident,
  getRiskScoreTrends: resident,

  getHome: guest("none"),
  alive: guest("none"),
  apiAlive: guest("none"),
  getMetrics: resident,
  getHealth: guest("none"),
  getReady: guest("none"),
  getWebsocketHealth: guest("none"),
  getFullHealth: resident,
  getMonitoringHealth: resident,
  getMonitoringTargets: resident,
  getConfig: owner,
  listVariables: owner,
  updateConfig: owner,
  getPipeline: resident,
  getTelemetry: resident,
  getPipelineLatency: resident,
  listWorkers: resident,
  listDaemons: resident,
  listBreakers: resident,
  resetBreaker: owner,
  runSelftest: owner,
  probeModels: owner,
  getDoctorReport: owner,
  getStorage: resident,
  cleanUp: owner,
  getGpuStats: resident,
  getGpuHistory: resident,

  getWebhookHealth: owner,
  getWebhookDelivery: owner,
  retryWebhookDelivery: owner,
  createWebhook: owner,
  listWebhooks: owner,
  getWebhook: owner,
  updateWebhook: owner,
  deleteWebhook: owner,
  testWebhook: owner,
  enableWebhook: owner,
  disableWebhook: owner,
  rotateWebhookSecret: owner,
  listWebhookDeliveries: owner,
  getDlqStats: owner,
  listDeadLetters: owner,
  requeueDeadLetters: owner,
  purgeDeadLetters: owner,
  listChannels: owner,
  createChannel: owner,
  findTelegramChats: owner,
  getChannel: owner,
  updateChannel: owner,
  deleteChannel: owner,
  testChannel: owner,
  getNotificationConfig: owner,
  testNotification: owner,

  createShare: resident,
  listShares: resident,
  revokeShare: resident,
  getShared: guest("none"),
  getSharedPicture: guest("none"),
  getSharedThumbnail: guest("none"),
  getSharedVideo: guest("none"),

  listKeys: owner,
  createKey: owner,
  revokeKey: owner,
  createInvitation: owner,
  listChanges: resident,
  getSession: guest("none"),
  startSession: guest("none"),
  endSession: guest("none"),
  signInWithKey: guest("none"),
  getInvitation: guest("none"),

  getOpenapi: guest("none"),
};

/**
 * The least role for each message of the WebSocket with a sequence. A guest receives those of its cameras. Control messages, such as
 * `connected` and `system_status`, hold no data of cameras, and every role receives them.
 */
export const messageNeeds: Readonly<Record<JournalType, "resident" | "guest">> = {
  "detection.new": "guest",
  "detection.batch": "guest",
  event: "guest",
  "event.updated": "guest",
  // It names no camera.
  "event.deleted": "resident",
  entity_discovered: "resident",
  camera_status: "guest",
  scene_change: "guest",
  "batch.analysis_started": "resident",
  "batch.analysis_completed": "resident",
  "batch.analysis_failed": "resident",
  alert_created: "resident",
  alert_delivered: "resident",
  alert_acknowledged: "resident",
  alert_dismissed: "resident",
  "silence.started": "resident",
  "silence.ended": "resident",
  "mode.changed": "resident",
  anomaly: "resident",
  infrastructure_alert: "resident",
  worker_status: "resident",
  circuit_breaker: "resident",
};

const ranks: Readonly<Record<KeyRole, number>> = { guest: 0, resident: 1, owner: 2 };

/** Tells whether a role includes the rights of another. */
export function includesRole(role: KeyRole, least: KeyRole): boolean {
  return ranks[role] >= ranks[least];
}
