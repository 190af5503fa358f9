/** The way in which a brand puts the time into the names of its files. */
export interface TimeTemplate {
  readonly name: string;
  /** Patterns in the language of time-pattern.ts; the first that matches counts. */
  readonly patterns: readonly string[];
  /** The names are in UTC, whatever the camera's zone is. */
  readonly isUtc?: true;
  /** Names as cameras write them, with the time that they mean. */
  readonly examples: readonly { readonly path: string; readonly time: string }[];
}

/** The built-in templates; `auto` tries them in this order, so those that fit few names come first. */
export const timeTemplates = [
  {
    name: "dahua",
    patterns: [
      "%Y-%m-%d/*/jpg/%H/%M/%S[*",
      "%Y-%m-%d/*/jpg/%H/%M.%S[*",
      "%Y-%m-%d/*/dav/%H/%H.%M.%S-*",
      "%Y-%m-%d/*/%H.%M.%S[*",
      "*_ch?_*_%Y%m%d%H%M%S_*",
      "*_ch??_*_%Y%m%d%H%M%S_*",
    ],
    examples: [
      { path: "2025-03-14/001/jpg/09/30/15[M][0@0][0].jpg", time: "2025-03-14T09:30:15.000" },
      { path: "AMC002A3/2025-03-14/001/jpg/09/30.15[M][0@0][0].jpg", time: "2025-03-14T09:30:15.000" },
      { path: "2025-03-14/001/dav/09/09.30.15-09.30.40[M][0@0][0].mp4", time: "2025-03-14T09:30:15.000" },
      { path: "NVR_ch1_main_20250314093015_20250314094000.dav", time: "2025-03-14T09:30:15.000" },
    ],
  },
  {
    name: "foscam",
    patterns: ["*alarm_%Y%m%d-%H%M%S", "*alarm_%Y%m%d_%H%M%S", "schedule_%Y%m%d-%H%M%S"],
    examples: [
      { path: "FI9800P_00123E45E060/snap/MDAlarm_20250314-093015.jpg", time: "2025-03-14T09:30:15.000" },
      { path: "record/alarm_20250314_093015.mkv", time: "2025-03-14T09:30:15.000" },
    ],
  },
  {
    name: "yi",
    patterns: ["%YY%mM%dD%HH/??%MM%SS*", "%YY%mM%dD%HH/%MM%SS*"],
    examples: [{ path: "2025Y03M14D09H/E130M15S60.mp4", time: "2025-03-14T09:30:15.000" }],
  },
  {
    name: "unifi",
    patterns: ["* - %Y-%m-%d - %H.%M.%S%z", "* - %-m-%-d-%Y, %-I.%M.%S%p"],
    examples: [
      { path: "Front Door 1A2B - 2025-03-14 - 09.30.15+0100.mp4", time: "2025-03-14T08:30:15.000Z" },
      { path: "Front Door - 3-14-2025, 9.30.15pm.mp4", time: "2025-03-14T21:30:15.000" },
    ],
  },
  {
    name: "tapo",
    patterns: ["%Y%m%d_%H%M%S_tp*"],
    examples: [{ path: "20250314_093015_tp00012.mp4", time: "2025-03-14T09:30:15.000" }],
  },
  {
    name: "geovision",
    patterns: ["*_%Y-%m-%d-%H-%M-%S-%L_*"],
    examples: [{ path: "MD/2025-03-14/09/MOTION_2025-03-14-09-30-15-123_001.jpg", time: "2025-03-14T09:30:15.123" }],
  },
  {
    name: "axis",
    patterns: ["image%y-%m-%d_%H-%M-%S-%f", "image%y-%m-%d_%H-%M-%S-%f_*"],
    examples: [
      { path: "image25-03-14_09-30-15-42.jpg", time: "2025-03-14T09:30:15.420" },
      { path: "image25-03-14_09-30-15-42_00003.jpg", time: "2025-03-14T09:30:15.420" },
    ],
  },
  {
    name: "hikvision",
    patterns: ["*_%Y%m%d%H%M%S%L_*", "*_%Y%m%d%H%M%S%L"],
    examples: [
      { path: "192.168.1.64_01_20250314093015123_MOTION_DETECTION.jpg", time: "2025-03-14T09:30:15.123" },
      { path: "192.168.1.64_01_20250314093015123_TIMING.jpg", time: "2025-03-14T09:30:15.123" },
    ],
  },
  {
    name: "reolink",
    patterns: ["*_%Y%m%d%H%M%S", "rec*_%Y%m%d_%H%M%S_*"],
    examples: [
      { path: "Front_01_20250314093015.jpg", time: "2025-03-14T09:30:15.000" },
      { path: "2025/03/14/Front_00_20250314093015.mp4", time: "2025-03-14T09:30:15.000" },
      { path: "RecM01_20250314_093015_093040_6D28808.mp4", time: "2025-03-14T09:30:15.000" },
    ],
  },
  {
    name: "pixel",
    patterns: ["PXL_%Y%m%d_%H%M%S%L*"],
    isUtc: true,
    examples: [{ path: "PXL_20250314_093015123.jpg", time: "2025-03-14T09:30:15.123Z" }],
  },
  {
    name: "android",
    patterns: ["IMG_%Y%m%d_%H%M%S*", "VID_%Y%m%d_%H%M%S*", "IMG%Y%m%d%H%M%S*"],
    examples: [
      { path: "IMG_20250314_093015.jpg", time: "2025-03-14T09:30:15.000" },
      { path: "DCIM/Camera/VID_20250314_093015~2.mp4", time: "2025-03-14T09:30:15.000" },
    ],
  },
  {
    name: "motion",
    patterns: ["*-%Y%m%d%H%M%S", "*-%Y%m%d%H%M%S-*"],
    examples: [
      { path: "01-20250314093015-02.jpg", time: "2025-03-14T09:30:15.000" },
      { path: "42-20250314093015.mkv", time: "2025-03-14T09:30:15.000" },
    ],
  },
  {
    name: "iso",
    patterns: [
      ...["*%Y-%m-%d?%H?%M?%S%z", "*%Y-%m-%d?%H?%M?%S?%f%z", "*%Y%m%d?%H%M%S%z"],
      ...["*%Y-%m-%d?%H?%M?%S*", "*%Y-%m-%d?%H%M%S*", "*%Y%m%d?%H%M%S*", "*%Y%m%d%H%M%S*", "*%Y_%m_%d_%H_%M_%S*"],
      ...["%Y-%m-%d/%H?%M?%S*", "%Y-%m-%d/%H%M%S*", "%Y%m%d/%H%M%S*", "%Y/%m/%d/%H%M%S*", "%Y/%m/%d/%H?%M?%S*"],
    ],
    examples: [
      { path: "2025-03-14T09:30:15+01:00.jpg", time: "2025-03-14T08:30:15.000Z" },
      { path: "snap 2025-03-14T09-30-15.250Z.jpg", time: "2025-03-14T09:30:15.250Z" },
      { path: "yard 2025-03-14 09.30.15.jpg", time: "2025-03-14T09:30:15.000" },
      { path: "Entrance-2025-03-14@093015.jpg", time: "2025-03-14T09:30:15.000" },
      { path: "20250314-093015.jpg.1", time: "2025-03-14T09:30:15.000" },
      { path: "2025/03/14/093015_3.jpg", time: "2025-03-14T09:30:15.000" },
    ],
  },
  {
    name: "epoch",
    patterns: ["*%s", "*%s.%f", "*%s.%f-*", "*%s%L"],
    examples: [
      { path: "snapshot_1741944615.jpg", time: "2025-03-14T09:30:15.000Z" },
      { path: "front-1741944615.25-a1b2c3.jpg", time: "2025-03-14T09:30:15.250Z" },
    ],
  },
] as const satisfies readonly TimeTemplate[];
