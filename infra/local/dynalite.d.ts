/** The embedded DynamoDB, as far as `dynamodb.ts` uses it. */
declare module "dynalite" {
  export default function dynalite(options: {
    /** Folder of the state; in memory without one. */
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }): import("node:http").Server;
}
