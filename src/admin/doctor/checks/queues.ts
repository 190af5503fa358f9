import { durationText } from "../../../base/clock/duration-text.ts";
import { dayMs, minuteMs } from "../../../base/clock/durations.ts";
import { pluralize } from "../../../base/text/pluralize.ts";
import { countDeadJobs } from "../../../work/jobs/dead-letters-repository.ts";
import { type Check, finding, ok, skipped } from "../check.ts";
import { judgedEvents, overdueJobs } from "../doctor-repository.ts";
import { listed } from "../wording.ts";

const overdueMs = 15 * minuteMs;
const fewestJudged = 3;

const deadLetters: Check = {
  id: "dead-letters",
  group: "database",
  title: "Dead letters",
  severity: "warning",
  finds: "Jobs failed for good and wait for a person",
  remedy: "homesec dlq list, then requeue or purge",
  async run(examination) {
    const dead = await (await examination.rows()).query(countDeadJobs);
    if (dead.length === 0) return ok("none");
    const [first] = dead;
    return finding(
      `${dead.map(({ queue, count }) => `${count} in ${queue}`).join(", ")} failed for good`,
      `homesec dlq list --queue ${first?.queue} shows why; then homesec dlq requeue ${first?.queue}, or homesec dlq purge ${first?.queue} --yes`,
    );
  },
};

const backlog: Check = {
  id: "backlog",
  group: "database",
  title: "Work that waits",
  severity: "warning",
  finds: "Jobs could have been started a quarter of an hour ago: the daemon does not run, or cannot keep up",
  remedy: "Start the daemon; raise DETECT_CONCURRENCY or give the services more to work with",
  async run(examination) {
    const now = examination.clock.now();
    const overdue = await (await examination.rows()).query((sql) => overdueJobs(sql, new Date(now.getTime() - overdueMs)));
    if (overdue.length === 0) return ok("nothing waits long");
    const daemon = await examination.lookForDaemon();
    return finding(
      listed(
        overdue.map(
          ({ queue, count, since }) =>
            `${pluralize(count, "job")} in ${queue}, the oldest for ${durationText(now.getTime() - since.getTime())}`,
        ),
      ),
      "client" in daemon || !daemon.asked
        ? "See what takes so long: homesec health, homesec breakers list; more at once: DETECT_CONCURRENCY, ANALYZE_CONCURRENCY"
        : "Start the daemon: homesec serve; it takes up what waits",
    );
  },
};

const analyses: Check = {
  id: "analyses",
  group: "upstream",
  title: "Judged events",
  severity: "warning",
  finds: "Within the last day more events could not be judged than were judged",
  remedy: "See why with homesec explain; take a model that answers as it should",
  async run(examination) {
    const since = new Date(examination.clock.now().getTime() - dayMs);
    const { judged, failed } = await (await examination.rows()).query((sql) => judgedEvents(sql, since));
    if (judged + failed < fewestJudged) return skipped("too few events within the last day");
    if (failed <= judged) return ok(`${judged} judged, ${failed} not`);
    return finding(
      `Within the last day ${failed} of ${judged + failed} events could not be judged`,
      "See why: homesec dlq list --queue analyze; the language model must answer with one JSON object (check language-model)",
    );
  },
};

export const queueChecks: readonly Check[] = [deadLetters, backlog];
export const analysisChecks: readonly Check[] = [analyses];
