import { generateTypes, TYPES_FILE } from "./types.ts";

await generateTypes(TYPES_FILE);
