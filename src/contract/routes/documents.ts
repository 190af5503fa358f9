import { z } from "zod";
import { route } from "../route.ts";

export const documentRoutes = {
  getOpenapi: route("/openapi.json", {
    method: "get",
    summary: "Get this API as an OpenAPI 3.1 document",
    tag: "documents",
    etag: true,
    reply: z.record(z.string(), z.unknown()),
    example: { reply: { openapi: "3.1.0", info: { title: "homesec", version: "0.1.0" }, paths: {} } },
  }),
  getDocs: route("/docs", {
    method: "get",
    summary: "Get this API as an HTML page",
    tag: "documents",
    reply: { mediaTypes: ["text/html"] },
  }),
};
