/* The page's style and script, which `embed` makes of the files beside this one. */
#include "config.h"

#include "draw/draw_priv.h"

#include "draw/assets.inc"
