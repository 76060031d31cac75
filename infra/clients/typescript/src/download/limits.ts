/** No byte for so long ends an attempt. */
export const STALL_MS = 30_000;
/** Larger than any medium that the platforms let users send: 4 GiB. */
export const SIZE_MAX_BYTES = 4_294_967_296;
