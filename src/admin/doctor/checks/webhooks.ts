import { dayMs } from "../../../base/clock/durations.ts";
import { pluralize } from "../../../base/text/pluralize.ts";
import { shellWord } from "../../../base/text/shell-word.ts";
import { type Reach, reachTarget } from "../../../platform/outbound/reach.ts";
import { type Check, finding, NotPossible, ok, skipped } from "../check.ts";
import { type WebhookRecord, webhookRecords } from "../doctor-repository.ts";
import type { Examination } from "../examination.ts";
import { resolveApart } from "../names.ts";
import { listed } from "../wording.ts";

const connectMs = 5_000;
/** Certificates are renewed a month before their end by those who care. */
const soonDays = 7;
/** Of fewer deliveries a share says little. */
const fewestDeliveries = 2;
const mostTargets = 50;

const defaultWebhook: Check = {
  id: "default-webhook",
  group: "notifications",
  title: "Target of the webhook channel",
  severity: "error",
  finds: "DEFAULT_WEBHOOK_URL cannot be reached, its TLS fails, or it may not be called. Nothing is sent there",
  remedy: "Correct DEFAULT_WEBHOOK_URL or OUTBOUND_ALLOW",
  async run(examination) {
    const { defaultWebhookUrl } = examination.config();
    if (defaultWebhookUrl === undefined) throw new NotPossible("DEFAULT_WEBHOOK_URL is not set");
    const reach = await reachOf(examination, defaultWebhookUrl);
    const fault = faultOf(examination, reach);
    if (fault === undefined) return ok(reach.kind === "reached" ? reach.shown : "");
    return finding(
      fault.text,
      fault.isOurs
        ? "Correct DEFAULT_WEBHOOK_URL, or OUTBOUND_ALLOW"
        : "Start what listens there, or correct DEFAULT_WEBHOOK_URL; then: homesec notifications test webhook",
      fault.severity,
    );
  },
};

const targets: Check = {
  id: "webhook-targets",
  group: "notifications",
  title: "Targets of webhooks",
  severity: "error",
  finds: "The target of an enabled webhook cannot be reached, its TLS fails, or it may not be called. Nothing is sent there",
  remedy: "homesec webhooks update, or OUTBOUND_ALLOW",
  async run(examination) {
    const enabled = (await recordsOf(examination)).filter((webhook) => webhook.enabled).slice(0, mostTargets);
    if (enabled.length === 0) return skipped("no webhook is enabled");
    const reached = await Promise.all(
      enabled.map(async (webhook) => ({ webhook, fault: faultOf(examination, await reachOf(examination, webhook.url)) })),
    );
    const bad = reached.flatMap(({ webhook, fault }) => (fault ? [{ webhook, fault }] : []));
    if (bad.length === 0) return ok(pluralize(enabled.length, "target"));
    return finding(
      listed(
        bad.map(({ webhook, fault }) => `"${webhook.name}": ${fault.text}`),
        3,
      ),
      listed(
        bad.map(({ webhook, fault }) =>
          fault.isOurs
            ? `homesec webhooks update ${shellWord(webhook.name)} --url ADDRESS, or OUTBOUND_ALLOW`
            : `Start what listens there, then homesec webhooks test ${shellWord(webhook.name)}; or homesec webhooks update ${shellWord(webhook.name)} --url ADDRESS`,
        ),
        3,
      ),
      bad.every(({ fault }) => fault.severity === "warning") ? "warning" : "error",
    );
  },
};

const deliveries: Check = {
  id: "webhook-deliveries",
  group: "notifications",
  title: "Deliveries to webhooks",
  severity: "error",
  finds: "Within the last day at least half of the deliveries to a webhook failed, or homesec switched it off",
  remedy: "Mend the target, then homesec webhooks enable",
  async run(examination) {
    const webhooks = await recordsOf(examination);
    if (webhooks.length === 0) return skipped("there is no webhook");
    const off = webhooks.filter(({ enabled, disabledReason }) => !enabled && disabledReason !== null);
    const failing = webhooks.filter(
      ({ enabled, succeeded, failed }) => enabled && succeeded + failed >= fewestDeliveries && failed >= succeeded,
    );
    if (off.length + failing.length === 0) return ok(pluralize(webhooks.length, "webhook"));
    return finding(
      listed([
        ...off.map(({ name, disabledReason }) => `"${name}" was switched off: ${disabledReason}`),
        ...failing.map(
          ({ name, succeeded, failed, lastError }) =>
            `"${name}": ${failed} of ${succeeded + failed} deliveries failed${lastError ? `, the last one: ${lastError}` : ""}`,
        ),
      ]),
      listed([
        ...off.map(({ name }) => `Mend the target, then homesec webhooks enable ${shellWord(name)}`),
        ...failing.map(({ name }) => `homesec webhooks deliveries ${shellWord(name)} shows what it answers`),
      ]),
    );
  },
};

interface Fault {
  readonly text: string;
  /** Our own rules forbid the call. */
  readonly isOurs: boolean;
  readonly severity: "warning" | "error";
}

function faultOf({ clock }: Examination, reach: Reach): Fault | undefined {
  if (reach.kind === "refused") return { text: `nothing is sent there: ${reach.error}`, isOurs: true, severity: "error" };
  if (reach.kind === "unreachable") return { text: reach.error, isOurs: false, severity: "error" };
  const days = reach.validTo === undefined ? Number.POSITIVE_INFINITY : (reach.validTo.getTime() - clock.now().getTime()) / dayMs;
  return days < soonDays
    ? { text: `the certificate of ${reach.shown} ends in ${Math.floor(days)} days`, isOurs: false, severity: "warning" }
    : undefined;
}

function reachOf(examination: Examination, url: string): Promise<Reach> {
  return reachTarget(url, { allow: examination.config().outboundAllow, timeoutMs: connectMs, resolve: resolveApart(examination.machine) });
}

async function recordsOf(examination: Examination): Promise<readonly WebhookRecord[]> {
  const since = new Date(examination.clock.now().getTime() - dayMs);
  return await (await examination.rows()).query((sql) => webhookRecords(sql, since));
}

export const webhookChecks: readonly Check[] = [defaultWebhook, targets, deliveries];
