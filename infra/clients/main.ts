import { writeFile } from "node:fs/promises";
import { describeOutput, describeServices, OUTPUT_SCHEMA_FILE, SERVICES_FILE } from "./services.ts";

await writeFile(SERVICES_FILE, describeServices());
await writeFile(OUTPUT_SCHEMA_FILE, describeOutput());
