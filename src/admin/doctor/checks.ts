import type { Check } from "./check.ts";
import { accessChecks } from "./checks/access.ts";
import { cameraHealthChecks } from "./checks/camera-health.ts";
import { cameraChecks } from "./checks/cameras.ts";
import { configurationChecks } from "./checks/configuration.ts";
import { daemonChecks } from "./checks/daemon.ts";
import { dataFolderChecks } from "./checks/data-folder.ts";
import { databaseChecks } from "./checks/database.ts";
import { detectorChecks } from "./checks/detector.ts";
import { diskChecks } from "./checks/disk.ts";
import { evidenceChain } from "./checks/evidence.ts";
import { languageModelChecks } from "./checks/language-models.ts";
import { mqtt } from "./checks/mqtt.ts";
import { notificationChecks } from "./checks/notifications.ts";
import { programChecks } from "./checks/program.ts";
import { receivers } from "./checks/receivers.ts";
import { redis } from "./checks/redis.ts";
import { ruleChecks } from "./checks/rules.ts";
import { serviceSettings } from "./checks/service-settings.ts";
import { serviceChecks } from "./checks/services.ts";
import { tls } from "./checks/tls.ts";
import { webhookChecks } from "./checks/webhooks.ts";

/**
 * Every check, in the order of the output. To add one, write a `Check` in a file of `checks/` and add it here; `npm run docs` writes it
 * into docs/doctor.md, and a test of this folder must run it.
 */
export const checks: readonly Check[] = [
  ...daemonChecks,
  ...programChecks,
  ...configurationChecks,
  ...accessChecks,
  tls,
  ...dataFolderChecks,
  ...diskChecks,
  ...databaseChecks,
  evidenceChain,
  redis,
  ...detectorChecks,
  ...languageModelChecks,
  ...serviceChecks,
  serviceSettings,
  ...cameraChecks,
  ...cameraHealthChecks,
  receivers,
  ...ruleChecks,
  ...notificationChecks,
  ...webhookChecks,
  mqtt,
];
