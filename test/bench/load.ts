import { Agent, request } from "node:http";

export interface Call {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface LoadOptions {
  readonly url: string;
  /** Returns the next call. */
  readonly call: () => Call;
  readonly requests: number;
  readonly concurrency: number;
  /** What every answer must be. Any other answer ends the load. */
  readonly status: number;
}

export interface Load {
  readonly requests: number;
  /** Times to the last byte of each answer, without the first request of each connection. */
  readonly latenciesMs: readonly number[];
  readonly elapsedMs: number;
}

/** Sends a number of requests, several at once, over connections that stay open. */
export async function applyLoad(options: LoadOptions): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.concurrency });
  const latenciesMs: number[] = [];
  let sent = 0;
  const client = async () => {
    for (let isFirst = true; sent < options.requests; isFirst = false) {
      sent++;
      const call = options.call();
      const startedMs = performance.now();
      const { status, body } = await post(agent, options.url, call);
      if (!isFirst) latenciesMs.push(performance.now() - startedMs);
      if (status !== options.status) throw new Error(`answered with ${status}: ${body}`);
    }
  };
  const startedMs = performance.now();
  try {
    await Promise.all(Array.from({ length: options.concurrency }, client));
  } finally {
    agent.destroy();
  }
  return { requests: options.requests, latenciesMs, elapsedMs: performance.now() - startedMs };
}

function post(agent: Agent, url: string, { headers, body }: Call) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = request(url, { agent, method: "POST", headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
