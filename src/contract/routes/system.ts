import { z } from "zod";
import { routesOf } from "../route.ts";
import { configRoutes } from "./system-config.ts";
import { healthRoutes } from "./system-health.ts";
import { modelRoutes } from "./system-models.ts";
import { pipelineRoutes } from "./system-pipeline.ts";
import { retentionRoutes } from "./system-retention.ts";
import { selftestRoutes } from "./system-selftest.ts";
import { storageRoutes } from "./system-storage.ts";

const route = routesOf("system");
const documents = routesOf("documents");

const Alive = z
  .object({
    status: z.literal("alive").meta({ description: "Always `alive`" }),
    version: z.string().meta({ description: "Version of homesec", example: "0.2.0" }),
  })
  .meta({ id: "Alive", description: "Liveness of the process" });

/** Routes about the daemon itself and its health. */
export const systemRoutes = {
  ...healthRoutes,
  ...pipelineRoutes,
  ...configRoutes,
  ...storageRoutes,
  ...retentionRoutes,
  ...selftestRoutes,
  ...modelRoutes,
  getHome: route.get("/api/system/home", "Get what a page needs to know about this home", {
    reply: z
      .object({
        time_zone: z.string().meta({ description: "Time zone of the daemon, in which pages show times", example: "Europe/Berlin" }),
        version: z.string().meta({ description: "Version of homesec", example: "0.2.0" }),
      })
      .meta({ id: "Home", description: "What a page needs to know about this home" }),
  }),
  alive: route.get("/health", "Check that the process is alive", { reply: Alive, tier: "none", auth: "none" }),
  apiAlive: route.get("/api/health", "Check that the process is alive", { reply: Alive, tier: "none", auth: "none" }),
  getMetrics: route.get("/metrics", "Get the metrics in Prometheus text format", { reply: { mediaTypes: ["text/plain"] }, tier: "none" }),
};

/** The documents that describe the API. */
export const documentRoutes = {
  getOpenapi: documents.get("/openapi.json", "Get this API as an OpenAPI 3.1 document", {
    etag: true,
    reply: z.record(z.string(), z.unknown()),
    example: { reply: { openapi: "3.1.0", info: { title: "homesec", version: "0.2.0" }, paths: {} } },
  }),
};
