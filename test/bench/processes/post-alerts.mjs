// Posts alerts on keep-alive connections for a number of milliseconds, each one different, with one request at a time on each connection.
import { Pool } from "undici";
import { answering } from "./answering.mjs";

const group = {
  ...{ version: "4", status: "firing", receiver: "homesec", truncatedAlerts: 0, externalURL: "http://127.0.0.1/" },
  ...{ groupLabels: {}, commonLabels: {}, commonAnnotations: {} },
};

answering(async ({ url, form, connections, forMs }) => {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections });
  const startedAt = performance.now();
  let sent = 0;
  const client = async () => {
    while (performance.now() - startedAt < forMs) {
      sent += 1;
      const alert = {
        ...{ status: "firing", labels: { alertname: "Load", instance: `${startedAt}-${sent}`, severity: "warning" } },
        ...{ annotations: { summary: "An alert of the benchmark" }, startsAt: new Date().toISOString() },
        ...{ generatorURL: "http://127.0.0.1/", fingerprint: `${Math.trunc(startedAt)}-${sent}` },
      };
      const body = JSON.stringify(form === "list" ? [alert] : { ...group, groupKey: alert.fingerprint, alerts: [alert] });
      const { statusCode, body: answer } = await pool.request({
        ...{ path: pathname, method: "POST", headers: { "content-type": "application/json" }, body },
      });
      const text = await answer.text();
      if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const perSecond = (sent * 1000) / (performance.now() - startedAt);
  await pool.close();
  return perSecond;
});
