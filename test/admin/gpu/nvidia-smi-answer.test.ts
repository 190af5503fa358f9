import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { busiest, gpuNumbers } from "../../../src/admin/gpu/gpu.ts";
import { readNvidiaSmi } from "../../../src/admin/gpu/nvidia-smi-answer.ts";
import { readXml } from "../../../src/admin/gpu/xml.ts";

const recorded = readFileSync(join(import.meta.dirname, "../../fixtures/gpu/nvidia-smi-q-x.xml"), "utf8");
const cardOf = (text: string) => text.slice(text.indexOf("<gpu "), text.indexOf("</gpu>") + "</gpu>".length);

describe("nvidia-smi parser", () => {
  it("nvidia-smi parser: reads every field", () => {
    expect(readNvidiaSmi(recorded)).toEqual([
      {
        gpu_name: "NVIDIA GeForce RTX 3080",
        utilization: 0,
        memory_used: 1128,
        memory_total: 10_240,
        temperature: 31,
        power_usage: 22.78,
        fan_speed: 0,
        sm_clock: 210,
        memory_bandwidth_utilization: 37,
        pstate: "P8",
        throttle_reasons: ["gpu_idle"],
        power_limit: 336,
        sm_clock_max: 2100,
        compute_processes_count: 1,
        pcie_replay_counter: 0,
        temp_slowdown_threshold: 95,
        memory_clock: 405,
        memory_clock_max: 9501,
        pcie_link_gen: 4,
        pcie_link_width: 16,
        pcie_tx_throughput: 1000,
        pcie_rx_throughput: 6000,
        encoder_utilization: 0,
        decoder_utilization: 0,
        bar1_used: 1,
      },
    ]);
  });

  it("nvidia-smi parser: accepts the names of older drivers", () => {
    const older = recorded
      .replaceAll("clocks_event_reason", "clocks_throttle_reason")
      .replaceAll("gpu_power_readings", "power_readings")
      .replaceAll("current_power_limit", "power_limit");
    expect(readNvidiaSmi(older)).toEqual(readNvidiaSmi(recorded));
  });

  it("nvidia-smi parser: unreported values are null", () => {
    const silent = recorded.replace(/>([^<>]*\d[^<>]*| *P8 *)<(?=\/(?!timestamp|driver|cuda|attached|pci_bus))/g, ">N/A<");
    const [reading] = readNvidiaSmi(silent);
    const told = gpuNumbers.filter((name) => name !== "inference_fps" && name !== "compute_processes_count" && reading?.[name] !== null);
    expect(told).toEqual([]);
    expect(reading?.pstate).toBeNull();
  });

  it.each(["[Not Supported]", "[Unknown Error]", "Requested functionality has been deprecated", "[N/A]", "GPU is lost", ""])(
    "nvidia-smi parser: %j is null",
    (text) => {
      const [reading] = readNvidiaSmi(recorded.replace("<fan_speed>0 %</fan_speed>", `<fan_speed>${text}</fan_speed>`));
      expect(reading?.fan_speed).toBeNull();
    },
  );

  it("nvidia-smi parser: counts computing processes, not drawing ones", () => {
    const process = (type: string) => `<process_info><pid>1</pid><type>${type}</type></process_info>`;
    const counted = (inside: string) =>
      readNvidiaSmi(recorded.replace(/<processes>[\s\S]*<\/processes>/, `<processes>${inside}</processes>`))[0]?.compute_processes_count;
    expect([counted(""), counted(process("G")), counted(process("C") + process("C+G") + process("G")), counted("N/A")]).toEqual([
      0,
      0,
      2,
      null,
    ]);
  });

  it("nvidia-smi parser: chooses the busiest of several cards", () => {
    const other = cardOf(recorded).replace("RTX 3080", "RTX 4090").replace("<gpu_util>0 %", "<gpu_util>80 %");
    const both = readNvidiaSmi(recorded.replace(cardOf(recorded), cardOf(recorded) + other));
    expect(both).toHaveLength(2);
    expect(busiest(both)?.gpu_name).toBe("NVIDIA GeForce RTX 4090");
    expect(busiest([])).toBeUndefined();
    const silent = readNvidiaSmi(recorded.replace("<gpu_util>0 %", "<gpu_util>N/A"));
    expect(busiest([...silent, ...readNvidiaSmi(recorded)])?.utilization).toBe(0);
  });

  it("nvidia-smi parser: refuses a truncated or foreign text", () => {
    for (let length = 1; length < recorded.trimEnd().length; length += 97) {
      expect(() => readNvidiaSmi(recorded.slice(0, length))).toThrow();
    }
    expect(() => readNvidiaSmi("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.")).toThrow();
    expect(() => readNvidiaSmi("<other/>")).toThrow("other");
  });
});

describe("XML parser", () => {
  it("XML parser: handles comments, entities, CDATA, attributes and empty elements", () => {
    const text = `<?xml version="1.0"?><!DOCTYPE a><!-- <no> --><a b="1>0" c='"'> x &amp; &lt;y&gt; <d/><![CDATA[<z>]]><e>1</e></a>`;
    expect(readXml(text)).toEqual({
      name: "a",
      text: " x & <y> <z>",
      children: [
        { name: "d", text: "", children: [] },
        { name: "e", text: "1", children: [] },
      ],
    });
  });

  it("XML parser: reads back generated documents and fails cleanly on anything else", () => {
    interface Tree {
      readonly name: string;
      readonly text: string;
      readonly children: readonly Tree[];
    }
    const level = (children: fc.Arbitrary<Tree[]>): fc.Arbitrary<Tree> =>
      fc.record({ name: fc.stringMatching(/^[a-z_]{1,5}$/), text: fc.stringMatching(/^[a-z0-9 ]{0,5}$/), children });
    const below = (inner: fc.Arbitrary<Tree>) => level(fc.array(inner, { maxLength: 3 }));
    const tree = below(below(below(level(fc.constant([])))));
    const write = ({ name, text, children }: Tree): string => `<${name}>${text}${children.map(write).join("")}</${name}>`;
    fc.assert(
      fc.property(tree, (written) => {
        expect(readXml(write(written))).toEqual(written);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("<", ">", "/", "a", '"', "!", "-", "[", "&", " ") }), (text) => {
        try {
          readXml(text);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
  });
});
