/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the obstacles of an answer in a form that status, plan and act share. */
#include <stdio.h>

#include "field.h"
#include "obstacles.h"

void obstacles_print(const json_object *result)
{
    json_object *all = field_array(result, "obstacles");
    size_t i;

    for (i = 0; all && i < json_object_array_length(all); i++) {
        json_object *one = json_object_array_get_idx(all, i);

        if (json_object_is_type(one, json_type_string))
            printf("not moving    %s\n",
                   field_name(json_object_get_string(one)));
    }
}
