import type { Check } from "./check.ts";
import { accessChecks } from "./checks/access.ts";
import { alertChecks, notificationChecks } from "./checks/alerts.ts";
import { browserChecks, publicUrlChecks } from "./checks/browsers.ts";
import { cameraHealthChecks } from "./checks/camera-health.ts";
import { cameraChecks } from "./checks/cameras.ts";
import { clockChecks } from "./checks/clock.ts";
import { configurationChecks } from "./checks/configuration.ts";
import { breakerChecks, daemonChecks, stuckFileChecks } from "./checks/daemon.ts";
import { dataFolderChecks } from "./checks/data-folder.ts";
import { databaseChecks } from "./checks/database.ts";
import { deletedCameraChecks } from "./checks/deleted-cameras.ts";
import { diskChecks } from "./checks/disk.ts";
import { embeddedChecks } from "./checks/embedded-postgres.ts";
import { enrichmentChecks } from "./checks/enrichment.ts";
import { fileChecks } from "./checks/files.ts";
import { inotifyChecks } from "./checks/inotify.ts";
import { keyFileChecks } from "./checks/key-file.ts";
import { machineChecks } from "./checks/machine.ts";
import { cameraMountChecks, mountChecks } from "./checks/mounts.ts";
import { portChecks } from "./checks/port.ts";
import { programChecks } from "./checks/program.ts";
import { analysisChecks, queueChecks } from "./checks/queues.ts";
import { ruleChecks } from "./checks/rules.ts";
import { smtpChecks } from "./checks/smtp.ts";
import { storeChecks } from "./checks/store.ts";
import { ruleZoneChecks, timeZoneChecks } from "./checks/time-zones.ts";
import { tlsChecks } from "./checks/tls.ts";
import { toolChecks } from "./checks/tools.ts";
import { upstreamChecks } from "./checks/upstreams.ts";
import { webhookChecks } from "./checks/webhooks.ts";

const inData = (some: readonly Check[]): readonly Check[] => some.map((check) => ({ ...check, reads: "data" }));
const inFolders = (some: readonly Check[]): readonly Check[] => some.map((check) => ({ ...check, reads: "folders" }));

/** Every check, group by group. */
export const checks: readonly Check[] = [
  ...daemonChecks,
  ...programChecks,
  ...machineChecks,
  ...inFolders(clockChecks),
  ...timeZoneChecks,
  ...toolChecks,
  ...configurationChecks,
  ...accessChecks,
  ...browserChecks,
  ...portChecks,
  ...inData(tlsChecks),
  ...inData(dataFolderChecks),
  ...mountChecks,
  ...inFolders(diskChecks),
  ...inFolders(inotifyChecks),
  ...inData(keyFileChecks),
  ...inFolders(fileChecks),
  ...databaseChecks,
  ...inData(embeddedChecks),
  ...queueChecks,
  ...storeChecks,
  ...upstreamChecks,
  ...enrichmentChecks,
  ...breakerChecks,
  ...analysisChecks,
  ...inFolders(cameraChecks),
  ...inFolders(deletedCameraChecks),
  ...cameraMountChecks,
  ...cameraHealthChecks,
  ...stuckFileChecks,
  ...ruleChecks,
  ...ruleZoneChecks,
  ...alertChecks,
  ...notificationChecks,
  ...smtpChecks,
  ...webhookChecks,
  ...publicUrlChecks,
];
