import process from "node:process";
import { serve } from "./rpc.ts";
import { createMethods } from "./server.ts";

const { PUBLIC_MEDIA_API_KEY, PUBLIC_MEDIA_BASE_URL } = process.env;
const methods = createMethods({ PUBLIC_MEDIA_API_KEY, PUBLIC_MEDIA_BASE_URL });
await serve(process.stdin, process.stdout, methods);
