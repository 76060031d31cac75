import { writeFile } from "node:fs/promises";
import { describeServices, SERVICES_FILE } from "./services.ts";

await writeFile(SERVICES_FILE, describeServices());
