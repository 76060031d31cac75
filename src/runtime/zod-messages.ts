import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";

// Of itself zod/mini says "Invalid input" of whatever is wrong: too little for an operator's log.
z.config(english());
