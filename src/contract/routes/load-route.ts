import type { OperationId, Routes } from "./index.ts";

const alertReceiver = async () => (await import("./alert-receiver.ts")).alertReceiverRoutes;
const alert = async () => (await import("./alerts.ts")).alertRoutes;
const analytics = async () => (await import("./analytics.ts")).analyticsRoutes;
const baseline = async () => (await import("./baselines.ts")).baselineRoutes;
const camera = async () => (await import("./cameras.ts")).cameraRoutes;
const channel = async () => (await import("./channels.ts")).channelRoutes;
const detection = async () => (await import("./detections.ts")).detectionRoutes;
const detectionBulk = async () => (await import("./detections.ts")).detectionBulkRoutes;
const dlq = async () => (await import("./dlq.ts")).dlqRoutes;
const entity = async () => (await import("./entities.ts")).entityRoutes;
const event = async () => (await import("./events.ts")).eventRoutes;
const evidence = async () => (await import("./evidence.ts")).evidenceRoutes;
const explain = async () => (await import("./explain.ts")).explainRoutes;
const image = async () => (await import("./images.ts")).imageRoutes;
const key = async () => (await import("./keys.ts")).keyRoutes;
const mask = async () => (await import("./masks.ts")).maskRoutes;
const mode = async () => (await import("./modes.ts")).modeRoutes;
const notification = async () => (await import("./notifications.ts")).notificationRoutes;
const parking = async () => (await import("./parking.ts")).parkingRoutes;
const pull = async () => (await import("./pulls.ts")).pullRoutes;
const receiver = async () => (await import("./receivers.ts")).receiverRoutes;
const recipient = async () => (await import("./recipients.ts")).recipientRoutes;
const ruleDraft = async () => (await import("./rule-drafts.ts")).ruleDraftRoutes;
const rule = async () => (await import("./rules.ts")).ruleRoutes;
const scene = async () => (await import("./scenes.ts")).sceneRoutes;
const share = async () => (await import("./shares.ts")).shareRoutes;
const silence = async () => (await import("./silences.ts")).silenceRoutes;
const statistics = async () => (await import("./statistics.ts")).statisticsRoutes;
const summary = async () => (await import("./summaries.ts")).summaryRoutes;
const config = async () => (await import("./system-config.ts")).configRoutes;
const doctor = async () => (await import("./system-doctor.ts")).doctorRoutes;
const gpu = async () => (await import("./system-gpu.ts")).gpuRoutes;
const health = async () => (await import("./system-health.ts")).healthRoutes;
const model = async () => (await import("./system-models.ts")).modelRoutes;
const pipeline = async () => (await import("./system-pipeline.ts")).pipelineRoutes;
const retention = async () => (await import("./system-retention.ts")).retentionRoutes;
const selftest = async () => (await import("./system-selftest.ts")).selftestRoutes;
const storage = async () => (await import("./system-storage.ts")).storageRoutes;
const webPush = async () => (await import("./web-push.ts")).webPushRoutes;
const webhook = async () => (await import("./webhooks.ts")).webhookRoutes;
const zone = async () => (await import("./zones.ts")).zoneRoutes;
const document = async () => (await import("./system.ts")).documentRoutes;
const system = async () => (await import("./system.ts")).systemRoutes;

/** Where each operation is declared. The compiler wants an entry for each. */
const places: { readonly [K in OperationId]: () => Promise<Pick<Routes, K>> } = {
  receiveAlerts: alertReceiver,
  listReceivedAlerts: alertReceiver,
  listAlerts: alert,
  getAlert: alert,
  acknowledgeAlert: alert,
  dismissAlert: alert,
  getDetectionTrends: analytics,
  getRiskHistory: analytics,
  getCameraUptime: analytics,
  getObjectDistribution: analytics,
  getRiskScoreDistribution: analytics,
  getRiskScoreTrends: analytics,
  getBaseline: baseline,
  listAnomalies: baseline,
  getActivityBaseline: baseline,
  getClassBaseline: baseline,
  getBaselineConfig: baseline,
  updateBaselineConfig: baseline,
  resetBaseline: baseline,
  listCameras: camera,
  createCamera: camera,
  listDeletedCameras: camera,
  validateCameraPaths: camera,
  getCamera: camera,
  updateCamera: camera,
  deleteCamera: camera,
  restoreCamera: camera,
  getCameraSnapshot: camera,
  listChannels: channel,
  createChannel: channel,
  findTelegramChats: channel,
  getChannel: channel,
  updateChannel: channel,
  deleteChannel: channel,
  testChannel: channel,
  listDetections: detection,
  searchDetections: detection,
  getDetection: detection,
  getDetectionImage: detection,
  getDetectionThumbnail: detection,
  getDetectionPreview: detection,
  getDetectionEnrichment: detection,
  getDetectionVideo: detection,
  getDetectionVideoThumbnail: detection,
  createDetections: detectionBulk,
  updateDetections: detectionBulk,
  deleteDetections: detectionBulk,
  getDlqStats: dlq,
  listDeadLetters: dlq,
  requeueDeadLetters: dlq,
  purgeDeadLetters: dlq,
  listEntities: entity,
  getEntity: entity,
  listEvents: event,
  searchEvents: event,
  exportEvents: event,
  listDeletedEvents: event,
  createEvents: event,
  updateEvents: event,
  deleteEvents: event,
  getEvent: event,
  updateEvent: event,
  deleteEvent: event,
  restoreEvent: event,
  reanalyzeEvent: event,
  getEvidencePack: evidence,
  listEvidencePacks: evidence,
  checkEvidenceChain: evidence,
  getEvidenceKey: evidence,
  explainEvent: explain,
  explainImage: explain,
  explainPath: explain,
  explainAlert: explain,
  explainMoment: explain,
  listPictureGaps: image,
  listImages: image,
  getImage: image,
  compareDetectors: image,
  listKeys: key,
  createKey: key,
  createInvitation: key,
  listChanges: key,
  getSession: key,
  startSession: key,
  signInWithKey: key,
  getInvitation: key,
  endSession: key,
  revokeKey: key,
  listMasks: mask,
  tryMask: mask,
  createMask: mask,
  deleteMask: mask,
  getMode: mode,
  setMode: mode,
  listModeSwitches: mode,
  listModes: mode,
  createMode: mode,
  updateMode: mode,
  deleteMode: mode,
  getNotificationConfig: notification,
  testNotification: notification,
  getCameraParking: parking,
  setCameraParking: parking,
  listPulls: pull,
  getCameraPull: pull,
  setCameraPull: pull,
  deleteCameraPull: pull,
  testCameraPull: pull,
  listReceivers: receiver,
  createCameraLogin: receiver,
  setMailRules: receiver,
  deleteCameraLogin: receiver,
  listRecipients: recipient,
  createRecipient: recipient,
  getRecipient: recipient,
  updateRecipient: recipient,
  deleteRecipient: recipient,
  backtestDefinition: ruleDraft,
  listRules: rule,
  createRule: rule,
  getRule: rule,
  updateRule: rule,
  deleteRule: rule,
  testRule: rule,
  backtestRule: rule,
  listSceneChanges: scene,
  acknowledgeSceneChange: scene,
  createShare: share,
  listShares: share,
  revokeShare: share,
  getShared: share,
  getSharedPicture: share,
  getSharedThumbnail: share,
  getSharedVideo: share,
  listSilences: silence,
  createSilence: silence,
  getSilence: silence,
  endSilence: silence,
  getEventStats: statistics,
  getEventTimeline: statistics,
  getDetectionStats: statistics,
  listDetectionLabels: statistics,
  getSummary: summary,
  getConfig: config,
  listVariables: config,
  updateConfig: config,
  getDoctorReport: doctor,
  getGpuStats: gpu,
  getGpuHistory: gpu,
  getHealth: health,
  getReady: health,
  getWebsocketHealth: health,
  getFullHealth: health,
  getMonitoringHealth: health,
  getMonitoringTargets: health,
  probeModels: model,
  getPipeline: pipeline,
  getTelemetry: pipeline,
  getPipelineLatency: pipeline,
  listWorkers: pipeline,
  listDaemons: pipeline,
  listBreakers: pipeline,
  resetBreaker: pipeline,
  listRetention: retention,
  setRetention: retention,
  previewRetention: retention,
  deleteRetention: retention,
  runSelftest: selftest,
  getStorage: storage,
  cleanUp: storage,
  getPushKey: webPush,
  subscribeDevice: webPush,
  getDevice: webPush,
  unsubscribeDevice: webPush,
  answerAlert: webPush,
  getWebhookHealth: webhook,
  getWebhookDelivery: webhook,
  retryWebhookDelivery: webhook,
  createWebhook: webhook,
  listWebhooks: webhook,
  getWebhook: webhook,
  updateWebhook: webhook,
  deleteWebhook: webhook,
  testWebhook: webhook,
  enableWebhook: webhook,
  disableWebhook: webhook,
  rotateWebhookSecret: webhook,
  listWebhookDeliveries: webhook,
  listAllZones: zone,
  listZones: zone,
  setZone: zone,
  deleteZone: zone,
  confirmZones: zone,
  getOpenapi: document,
  getHome: system,
  alive: system,
  apiAlive: system,
  getMetrics: system,
};

/** Loads one route with its schemas. A command that makes one request would build the schemas of two hundred with `routes`. */
export async function loadRoute<K extends OperationId>(operation: K): Promise<Routes[K]> {
  return (await places[operation]())[operation];
}
