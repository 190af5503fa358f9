import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { eventually } from "../../support/eventually.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { type Family, readExposition, type Sample } from "./exposition.ts";
import { type Line, type ObservedHome, observedHome } from "./observed-home.ts";
import { hasPromtool, promtool } from "./promtool.ts";
import { filledIn, unknownIn } from "./queries.ts";

let home: ObservedHome;
let text: string;
let families: readonly Family[];
let samples: readonly Sample[];

beforeAll(async () => {
  home = await observedHome();
  // A delivery is counted when its outcome is stored.
  const attempts = (channel: string, outcome: string, count: string) =>
    new RegExp(`^homesec_delivery_attempts_total{channel="${channel}",outcome="${outcome}"} ${count}$`, "m");
  const all = [
    attempts("webhook", "success", "1"),
    attempts("outbound_webhook", "success", "2"),
    attempts("outbound_webhook", "retry", "[1-9]"),
  ];
  text = await eventually(
    async () => {
      const now = await home.metrics();
      return all.every((each) => each.test(now)) ? now : undefined;
    },
    { timeoutMs: 20_000 },
  );
  families = readExposition(text);
  samples = families.flatMap((family) => family.samples);
});
afterAll(() => home.close());

const value = (name: string, labels: Readonly<Record<string, string>> = {}): number | undefined =>
  samples.find((each) => each.name === name && Object.entries(labels).every(([label, is]) => each.labels[label] === is))?.value;
const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

describe("the log", () => {
  const explained = async (path: string) => (await home.ask(path)) as { readonly trace: string };

  it("log: one correlation id follows a picture to its recipients, and explanations and messages show it", async () => {
    const { trace } = await explained("/api/images/2/explain");
    expect(trace).toMatch(/^[0-9a-f-]{36}$/);
    const way = home.lines().filter((line) => line["trace"] === trace);
    const stages = [...new Set(way.map((line) => line["stage"]))];
    expect(stages.toSorted()).toEqual(["alert", "analyze", "batch", "deliver", "detect", "enrich"]);
    // Both pictures belong to the event, each with the correlation id that the watcher logged.
    const images = way.filter(({ stage }) => stage === "detect").map(({ image }) => image);
    expect(images.toSorted()).toEqual([1, 2]);
    const found = home.lines().filter(({ stage, image }) => stage === "watch" && images.includes(image));
    expect(found.map(({ worker, path }) => [worker, path]).toSorted()).toEqual([
      ["file_watcher", expect.stringMatching(/a\.jpg$/)],
      ["file_watcher", expect.stringMatching(/b\.jpg$/)],
    ]);
    const alert = way.find(({ msg }) => msg === "a rule raised an alert");
    expect(alert).toMatchObject({ event: 1, camera: "yard", rule_name: 'Somebody "here"', level: "info" });
    expect(await explained("/api/events/1/explain")).toMatchObject({ trace });
    expect(await explained(`/api/alerts/${alert?.["alert"]}/explain`)).toMatchObject({ trace });
    const sent = [...home.toPeople, ...home.toPrograms];
    expect(sent.map(({ headers }) => headers["x-homesec-trace"])).toEqual(sent.map(() => trace));
  });

  it("log: level info contains what people ask for later, and no single pictures", () => {
    const told = home.lines().filter((line: Line) => line.level === "info" && line["trace"] !== undefined);
    expect([...new Set(told.map(({ msg }) => msg))].toSorted()).toEqual([
      "a batch became an event",
      "a rule raised an alert",
      "an event was scored",
      "notification sent",
      "webhook delivered",
    ]);
    expect(home.lines().filter(({ level, image }) => level === "info" && image !== undefined)).toEqual([]);
  });
});

describe("/metrics", () => {
  it("metrics: report the events that happened", () => {
    expect(value("homesec_pictures_total", { camera_id: "yard" })).toBe(2);
    expect(value("homesec_pictures_finished_total", { outcome: "processed" })).toBe(2);
    expect(value("homesec_detections_total", { object_type: "dog" })).toBe(2);
    expect(value("homesec_events_judged_total", { risk_level: "medium" })).toBe(1);
    expect(value("homesec_alerts_total", { severity: "high" })).toBe(1);
    expect(value("homesec_rule_verdicts_total", { outcome: "raised" })).toBe(1);
    expect(value("homesec_rule_verdicts_total", { outcome: "not_matched" })).toBe(1);
    expect(value("homesec_delivery_attempts_total", { channel: "outbound_webhook", outcome: "success" })).toBe(2);
    expect(value("homesec_delivery_attempts_total", { channel: "outbound_webhook", outcome: "retry" })).toBeGreaterThan(0);
    expect(value("homesec_notification_delay_seconds_count")).toBe(1);
    for (const stage of ["watch", "detect", "enrich", "batch", "analyze", "alert", "deliver"])
      expect([stage, value("homesec_stage_duration_seconds_count", { stage })]).toEqual([stage, expect.toSatisfy((count) => count > 0)]);
  });

  it("metrics: report the current state", () => {
    expect(value("homesec_circuit_breaker_state", { service: "vision" })).toBe(2);
    expect(value("homesec_circuit_breaker_opens_total", { service: "vision" })).toBe(1);
    expect(value("homesec_upstream_requests_total", { service: "vision", outcome: "failure" })).toBeGreaterThanOrEqual(3);
    expect(value("homesec_upstream_requests_total", { service: "detector", outcome: "success" })).toBe(2);
    expect(value("homesec_websocket_clients")).toBe(1);
    expect(value("homesec_websocket_messages_sent_total")).toBeGreaterThan(5);
    expect(value("homesec_cameras", { status: "online" })).toBe(1);
    expect(value("homesec_camera_last_picture_timestamp_seconds", { camera_id: "yard" })).toBeGreaterThan(Date.now() / 1000 - 600);
    expect(value("homesec_oldest_unprocessed_picture_seconds")).toBe(0);
    expect(value("homesec_queue_jobs", { queue: "enrich", state: "deferred" })).toBeGreaterThan(0);
    expect(value("homesec_queue_oldest_job_seconds", { queue: "enrich" })).toBeGreaterThan(0);
    expect(value("homesec_disk_free_bytes", { disk: "data" })).toBeGreaterThan(0);
    expect(value("homesec_http_request_duration_seconds_count")).toBeGreaterThan(0);
  });

  it("metrics: no label contains text that a person wrote", () => {
    const labels = new Set(samples.filter(({ name }) => name.startsWith("homesec_")).flatMap((each) => Object.values(each.labels)));
    expect([...labels].filter((label) => !/^[\w+.-]+$/.test(label))).toEqual([]);
  });

  it.runIf(hasPromtool)("metrics: follow the conventions of Prometheus", async () => {
    expect(await promtool(["check", "metrics"], { input: text })).toBe("");
  });

  it("metrics: the documentation lists each one", async () => {
    const rows = families
      .filter(({ name }) => name.startsWith("homesec_"))
      .map(({ name, type, help, samples: [first] }) => {
        const labels = Object.keys(first?.labels ?? {}).filter((label) => label !== "le");
        return `| \`${name}\` | ${type} | ${labels.join(", ")} | ${help} |`;
      });
    const table = ["| metric | type | labels | what it tells |", "|---|---|---|---|", ...rows.toSorted()].join("\n");
    const written = read("docs/observability.md");
    const [before, after] = [written.split("<!-- metrics -->")[0], written.split("<!-- end of metrics -->")[1]];
    // `npx vitest run test/daemon/metrics -u` rewrites it.
    await expect(`${before}<!-- metrics -->\n${table}\n<!-- end of metrics -->${after}`).toMatchFileSnapshot(
      "../../../docs/observability.md",
    );
  });
});

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

interface RuleTests {
  readonly tests: readonly { readonly input_series: readonly { readonly series: string }[] }[];
}
const testFiles = ["alerts.test.yml", "alerts.day.test.yml"];

describe("the alert rules", () => {
  const rules = (): Rules["groups"][number]["rules"] =>
    (parse(read("packaging/prometheus/alerts.yml")) as Rules).groups.flatMap((group) => group.rules);

  it("Prometheus rules: refer only to existing metrics", () => {
    expect(rules().map(({ alert, expr }) => [alert, unknownIn(expr, samples)])).toEqual(rules().map(({ alert }) => [alert, []]));
  });

  it("Prometheus rules: a missing metric, label or value would be found", () => {
    expect(unknownIn('homesec_no_such_total + homesec_worker_up{thing="x"} + homesec_queue_jobs{state=~"dead|alive"}', samples)).toEqual([
      "homesec_no_such_total",
      "homesec_worker_up{thing}",
      'homesec_queue_jobs{state="alive"}',
    ]);
    expect(unknownIn("sum by (colour) (homesec_worker_up)", samples)).toEqual(["(colour)"]);
  });

  it("Prometheus rules: each is tested and explained", () => {
    const tests = testFiles.map((file) => read(`packaging/prometheus/${file}`)).join("\n");
    const page = read("docs/observability.md");
    for (const { alert } of rules()) {
      expect([alert, tests.includes(`alertname: ${alert}\n`)]).toEqual([alert, true]);
      expect([alert, page.includes(`\`${alert}\``)]).toEqual([alert, true]);
    }
  });

  it("Prometheus rules: are tested with existing metrics", () => {
    const files = testFiles.map((file) => parse(read(`packaging/prometheus/${file}`)) as RuleTests);
    const series = files.flatMap(({ tests }) => tests).flatMap((each) => each.input_series);
    expect(series.flatMap((each) => unknownIn(each.series, samples))).toEqual([]);
  });

  it.runIf(hasPromtool)("Prometheus rules: fire when they should, and never otherwise", async () => {
    const cwd = new URL("../../../packaging/prometheus", import.meta.url).pathname;
    expect(await promtool(["check", "config", "scrape.yml"], { cwd })).toContain("SUCCESS");
    expect(await promtool(["test", "rules", ...testFiles], { cwd })).toContain("SUCCESS");
  });
});

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly type: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

describe("the dashboard", () => {
  const queries = (): readonly (readonly [title: string, query: string])[] =>
    (JSON.parse(read("packaging/grafana/homesec.json")) as Dashboard).panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => [title, filledIn(expr)] as const),
    );

  it("dashboard: refers only to existing metrics", () => {
    expect(queries().map(([title, query]) => [title, unknownIn(query, samples)])).toEqual(queries().map(([title]) => [title, []]));
  });

  it("dashboard: shows every metric of homesec", () => {
    const all = queries()
      .map(([, query]) => query)
      .join(" ");
    const own = families.filter(({ name }) => name.startsWith("homesec_")).map(({ name }) => name);
    expect(own.filter((name) => !all.includes(name))).toEqual(["homesec_selftests_total"]);
  });

  it.runIf(hasPromtool)("dashboard: its queries are valid", async () => {
    const rules = queries().map(([, expr], at) => ({ record: `query_${at}`, expr }));
    const folder = temporaryFolder("dashboard");
    const file = join(folder.path, "queries.yml");
    // JSON is valid YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    expect(await promtool(["check", "rules", file])).toContain(`SUCCESS: ${rules.length} rules found`);
    await folder.remove();
  });
});
