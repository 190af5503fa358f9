import { z } from "zod";
import { doctorGroups, doctorSeverities, doctorStatuses } from "../constants.ts";
import { routesOf } from "../route.ts";
import { Instant } from "../values.ts";

const route = routesOf("system");

const groupIds = Object.keys(doctorGroups) as [keyof typeof doctorGroups, ...(keyof typeof doctorGroups)[]];
const Severity = z.enum(doctorSeverities);

export const DoctorCheck = z
  .object({
    id: z.string().meta({ description: "Id of the check; it never changes after a release", example: "disk-space" }),
    group: z.enum(groupIds).meta({ description: "Group, in the order of the list", example: "data" }),
    title: z.string().meta({ description: "Subject of the check", example: "Disk space" }),
    status: z.enum(doctorStatuses).meta({
      description: "`ok`: no problem; `finding`: at least one problem; `skipped`: the check cannot run here",
      example: "finding",
    }),
    severity: Severity.nullable().meta({
      description: "Worst severity of the findings; null without one. `error`: does not work; `warning`: works, but badly or not for long",
      example: "warning",
    }),
    finding: z.string().nullable().meta({
      description: "All findings in one text; null without one",
      example: "Only 9.1 GB (7.3 %) of the disk with DATA_DIR (/var/lib/homesec) is free",
    }),
    remedy: z.string().nullable().meta({
      description: "All fixes in one text; null without a finding",
      example: "Delete old pictures, set DELETE_IMAGES=true, lower RETENTION_DAYS, or move the folder to a larger disk",
    }),
    detail: z.string().nullable().meta({ description: "What the check saw if it is ok, or why it was skipped", example: null }),
    findings: z
      .array(
        z.object({
          finding: z.string().meta({ description: "What is wrong, and why it matters" }),
          remedy: z.string().meta({ description: "What to do: a command, a variable or a step" }),
          severity: Severity.meta({ description: "Severity of this finding", example: "warning" }),
        }),
      )
      .meta({
        description: "Each finding with its fix",
        example: [
          {
            finding: "Only 9.1 GB (7.3 %) of the disk with DATA_DIR (/var/lib/homesec) is free",
            remedy: "Delete old pictures, set DELETE_IMAGES=true, lower RETENTION_DAYS, or move the folder to a larger disk",
            severity: "warning",
          },
        ],
      }),
    needs_terminal: z.boolean().meta({
      description: "The daemon cannot run this check; it was skipped, and runs with `homesec doctor` in a terminal of that machine",
      example: false,
    }),
    elapsed_ms: z.number().meta({ description: "Duration in milliseconds", example: 3.4 }),
  })
  .meta({ id: "DoctorCheck", description: "Result of one check" });

export const DoctorReply = z
  .object({
    version: z.string().meta({ description: "Version of the running homesec", example: "0.3.0" }),
    host: z.string().meta({ description: "Machine that was checked", example: "nas" }),
    checked_at: Instant.meta({ description: "Time of the result" }),
    elapsed_ms: z.number().meta({ description: "Duration in milliseconds", example: 1210 }),
    ok: z.int().meta({ description: "Number of checks without a problem", example: 0 }),
    findings: z.int().meta({ description: "Number of checks with a finding", example: 1 }),
    skipped: z.int().meta({ description: "Number of skipped checks", example: 0 }),
    errors: z.int().meta({ description: "Number of checks with an error", example: 0 }),
    warnings: z.int().meta({ description: "Number of checks with a warning as the worst finding", example: 1 }),
    checks: z.array(DoctorCheck).meta({ description: "Every check, in a fixed order" }),
  })
  .meta({ id: "DoctorReport", description: "What `homesec doctor` finds on the machine of the daemon, with the settings of the daemon" });

export const doctorRoutes = {
  getDoctorReport: route.get("/api/system/doctor", "Check the installation of this daemon and suggest fixes", {
    slow: true,
    tier: "ai_inference",
    reply: DoctorReply,
  }),
};
