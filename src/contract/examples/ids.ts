/** What the examples tell of: one evening at the front door. The same ids stand everywhere. */

/** A person with a dog at 22:15 UTC, 23:15 in Berlin. */
export const eventId = 1_207;
/** What was wrong with the camera two days before. */
export const incidentId = 1_193;
export const batchId = "3d5a2c61-0f4e-4b87-9a2d-6c1e8f70b5d3";
export const imageId = 55_830;
export const picturePath = "/var/lib/homesec/cameras/front-door/2026-01-31_22-15-00.jpg";
export const entityId = "9c1f7a34-5b20-4d6e-8e13-b7a90d42f6c8";
export const ruleId = "0b8d6a52-95a7-4e0c-8f0d-2f6a2f3f9b22";
export const ruleName = "People at night";
export const alertId = "6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11";
export const silenceId = "0e3cb4f5-62b1-4c3a-9b0e-5f6f0d5a7c11";
export const notificationId = "f2a80c57-1c3b-4e90-a6d4-58b7e2193c0d";
export const webhookId = "b8b10ef2-2e7c-44be-874c-44086bff6636";
export const deliveryId = "ba969538-e7f6-41a6-8c5d-7d47edd849ee";
/** The version of homesec that answers. */
export const version = "0.1.0";
/** When the house was asked how it is. */
export const now = "2026-02-01T08:30:00.000Z";
