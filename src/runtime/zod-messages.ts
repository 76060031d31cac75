import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";

// zod/mini ships no messages; every issue would read "Invalid input".
z.config(english());
