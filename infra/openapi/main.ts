import { writeFile } from "node:fs/promises";
import { PATH, render } from "./file.ts";

/** `npm run openapi`: writes the API's document from the code's schemas, error catalogue and limits. */
await writeFile(new URL(`../../${PATH}`, import.meta.url), render());
console.log(`Wrote ${PATH}.`);
