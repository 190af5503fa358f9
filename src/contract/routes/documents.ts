import { z } from "zod";
import { routesOf } from "../route.ts";

const route = routesOf("documents");

export const documentRoutes = {
  getOpenapi: route.get("/openapi.json", "Get this API as an OpenAPI 3.1 document", {
    etag: true,
    reply: z.record(z.string(), z.unknown()),
    example: { reply: { openapi: "3.1.0", info: { title: "homesec", version: "0.1.0" }, paths: {} } },
  }),
  getDocs: route.get("/docs", "Get this API as an HTML page", { reply: { mediaTypes: ["text/html"] } }),
};
